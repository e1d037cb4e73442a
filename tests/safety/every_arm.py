"""Every arm that ships with reins, for rules that hold whatever the arm."""

from typing import Final

import pytest

from reins.hardware.profile import known_profiles

EVERY_ARM: Final = tuple(
    pytest.param(name, marks=() if name == "franka" else pytest.mark.slow) for name in known_profiles("arm")
)
"""For `parametrize("profile", EVERY_ARM, indirect=True)`: rules that hold whatever the arm."""
