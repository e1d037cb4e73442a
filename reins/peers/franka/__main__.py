"""The Franka peer's process: `python -m reins.peers.franka ADDRESS PROFILE WORLD SEED [TRAIT …]`."""

import sys
from contextlib import suppress

from reins.hardware.profile import load_profile
from reins.peers.franka.peer import Peer
from reins.peers.requests import become_prompt

if __name__ == "__main__":
    address, profile, world, seed, *traits = sys.argv[1:]
    become_prompt()
    with suppress(KeyboardInterrupt):
        Peer(load_profile(profile), address, world, int(seed), traits).run()
