"""Mappings: the ones that ship are complete; what is wrong with another is said."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError, UnknownName
from reins.teleop.intent import ARM_ACTIONS, LEGGED_ACTIONS, Action, Direction
from reins.teleop.mapping import JoyMapping, known_mappings, load_joy_mapping, load_key_mapping

PADS = [name for name in known_mappings() if name != "keyboard"]

GOOD = """
kind: joy
title: Test pad
deadman: {button: 4}
motion: {x: {axis: 1}}
actions: {estop: {button: 1}}
"""

TRIGGERS = "{x: {axis: 1, minus: 2}}\nactions: {estop: {axis: 2, below: 0}}"
"""One of two that move is the e-stop, too."""


def written(folder: Path, text: str) -> str:
    path = folder / "pad.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", PADS)
def test_a_pad_that_ships_does_everything_that_matters(name: str) -> None:
    mapping = load_joy_mapping(name)
    assert set(mapping.motion) == set(Direction)
    assert set(Action) - set(mapping.actions) <= {Action.PREVIOUS_JOINT}


@pytest.mark.parametrize("name", PADS)
def test_no_button_does_two_things(name: str) -> None:
    mapping = load_joy_mapping(name)
    for others in (ARM_ACTIONS, LEGGED_ACTIONS):
        used = [button for action, button in mapping.actions.items() if action not in others]
        buttons = [mapping.deadman, *used]
        assert len({(b.button, b.axis, b.above, b.below) for b in buttons}) == len(buttons)


def test_the_keyboard_does_everything() -> None:
    mapping = load_key_mapping("keyboard")
    assert set(mapping.motion) == set(Direction)
    assert set(mapping.actions) == set(Action)


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    assert load_joy_mapping(written(tmp_path, GOOD)).title == "Test pad"


def test_an_unknown_name_lists_what_exists() -> None:
    with pytest.raises(UnknownName, match=r"did you mean 'xbox'.*gamepad, keyboard, logitech, .*playstation, xbox"):
        load_joy_mapping("xbx")


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(ReinsError, match="no teleop mapping file"):
        load_joy_mapping("nowhere.yaml")


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("deadman: {button: 4}", "deadman: {}", "deadman.*give `button: N`"),
        ("deadman: {button: 4}", "deadman: {button: 4, axis: 2, above: 0.5}", "deadman"),
        ("deadman: {button: 4}", "deadman: {axis: 2}", "deadman.*above"),
        ("deadman: {button: 4}", "deadman: {axis: 2, above: 0.5, below: 0.1}", "deadman"),
        ("deadman: {button: 4}", "deadman: {button: -1}", "deadman.button"),
        ("deadman: {button: 4}", "deadman: {button: left}", "deadman.button"),
        ("deadman: {button: 4}\n", "", "deadman: Field required"),
        ("{x: {axis: 1}}", "{x: {}}", "motion.x.*give `axis: N`"),
        ("{x: {axis: 1}}", "{x: {buttons: [1, 2], minus: 3}}", "motion.x"),
        ("{x: {axis: 1}}", "{x: {axis: 1, scale: 2.0}}", "motion.x.scale"),
        ("{x: {axis: 1}}", "{forwards: {axis: 1}}", "motion.forwards.*'x', 'y'"),
        ("{estop: {button: 1}}", "{jump: {button: 1}}", "actions.jump.*'estop'"),
        ("{estop: {button: 1}}", "{estop: {button: 4}}", "button 4 used twice"),
        ("{estop: {button: 1}}", "{estop: {button: 64}}", "actions.estop.button.*63"),
        ("{x: {axis: 1}}", "{x: {buttons: [1, 2]}}", "button 1 used twice"),
        ("{estop: {button: 1}}", "{reset: {button: 1}}", "`estop` is missing"),
        ("{estop: {button: 1}}", "{estop: {axis: 1, above: 0.5}}", "axis 1 used both to move and as a button"),
        (
            "{x: {axis: 1}}\nactions: {estop: {button: 1}}",
            f"{TRIGGERS}\nactions: {{estop: {{axis: 2, below: 0}}}}",
            "axis 2",
        ),
        ("kind: joy", "kind: keys", "kind"),
        ("title: Test pad", "title: Test pad\ncolour: red", "colour"),
        ("title: Test pad", "title: [", "not valid YAML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(ReinsError, match=said):
        load_joy_mapping(written(tmp_path, GOOD.replace(old, new)))


@pytest.mark.parametrize(
    "estop, reset, fits",
    [
        ("axis: 5, below: -0.5", "axis: 5, above: 0.5", True),
        ("axis: 5, below: 0.5", "axis: 5, above: 0.5", True),
        ("axis: 5, below: 0.6", "axis: 5, above: 0.5", False),
        ("axis: 5, below: -0.5", "axis: 5, below: 0.5", False),
        ("axis: 5, above: 0.5", "axis: 5, above: 0.5", False),
        ("axis: 5, above: 0.5", "axis: 4, above: 0.5", True),
    ],
)
def test_no_value_of_an_axis_presses_two_buttons(tmp_path: Path, estop: str, reset: str, fits: bool) -> None:
    path = written(tmp_path, GOOD.replace("{estop: {button: 1}}", f"{{estop: {{{estop}}}, reset: {{{reset}}}}}"))
    if fits:
        load_joy_mapping(path)
        return
    with pytest.raises(ReinsError, match="axis 5 used as two buttons"):
        load_joy_mapping(path)


@pytest.mark.parametrize(
    "actions, fits",
    [
        ("{close_gripper: {button: 0}, sit: {button: 0}, open_gripper: {button: 3}, stand: {button: 3}}", True),
        ("{sit: {button: 0}, stand: {button: 0}}", False),
        ("{sit: {button: 0}, reset: {button: 0}}", False),
        ("{sit: {button: 4}}", False),
        ("{close_gripper: {button: 0}, next_joint: {button: 0}}", False),
    ],
)
def test_a_button_does_one_thing_for_each_kind_of_robot(tmp_path: Path, actions: str, fits: bool) -> None:
    path = written(tmp_path, GOOD.replace("{estop: {button: 1}}", f"{{estop: {{button: 1}}, {actions[1:]}"))
    if fits:
        assert load_joy_mapping(path).actions.keys() >= {Action.SIT, Action.CLOSE_GRIPPER}
        return
    with pytest.raises(ReinsError, match="used twice"):
        load_joy_mapping(path)


def test_a_key_that_is_used_twice(tmp_path: Path) -> None:
    text = "kind: keys\ntitle: Test\nmotion: {x: [w, s]}\nactions: {estop: w}\n"
    with pytest.raises(ReinsError, match="used twice: w"):
        load_key_mapping(written(tmp_path, text))


@pytest.mark.parametrize(
    "estop, said",
    [
        ("space", r"actions.estop.*no terminal sends 'space' as a key: give one character; write \" \""),
        ("Tab", r"'Tab'.*write \"\\t\""),
        ("f1", "'f1' as a key: give one character$"),
        ('""', "'' as a key"),
        ('"\\e"', "no terminal sends"),
        ('"\\x03"', "no terminal sends"),
    ],
)
def test_a_key_that_no_terminal_sends(tmp_path: Path, estop: str, said: str) -> None:
    """It would never stop the robot."""
    text = f"kind: keys\ntitle: Test\nmotion: {{x: [w, s]}}\nactions: {{estop: {estop}}}\n"
    with pytest.raises(ReinsError, match=said):
        load_key_mapping(written(tmp_path, text))
    with pytest.raises(ReinsError, match=r"motion.x.*no terminal sends"):
        load_key_mapping(written(tmp_path, text.replace(f"estop: {estop}", 'estop: " "').replace("w, s", "up, s")))


@pytest.mark.parametrize("key", ['" "', '"\\t"', '"\\n"', "ä", "Q", '"]"'])
def test_a_key_that_a_terminal_sends(tmp_path: Path, key: str) -> None:
    text = f"kind: keys\ntitle: Test\nmotion: {{x: [w, s]}}\nactions: {{estop: {key}}}\n"
    assert len(load_key_mapping(written(tmp_path, text)).actions[Action.ESTOP]) == 1


def test_keys_without_an_emergency_stop(tmp_path: Path) -> None:
    text = "kind: keys\ntitle: Test\nmotion: {x: [w, s]}\nactions: {reset: R}\n"
    with pytest.raises(ReinsError, match="`estop` is missing"):
        load_key_mapping(written(tmp_path, text))


@pytest.fixture(scope="module")
def mapping() -> JoyMapping:
    return load_joy_mapping("xbox")


@given(value=st.floats(-1.0, 1.0))
def test_the_deadzone_is_continuous_and_keeps_the_sign(mapping: JoyMapping, value: float) -> None:
    shaped = mapping.shaped(value)
    assert abs(shaped) <= abs(value)
    assert shaped * value >= 0.0
    assert abs(mapping.shaped(value + 1e-9) - shaped) < 1e-6


@pytest.mark.parametrize("value, shaped", [(0.1, 0.0), (-0.1, 0.0), (1.0, 1.0), (-1.0, -1.0), (0.55, 0.5)])
def test_the_deadzones_edges(mapping: JoyMapping, value: float, shaped: float) -> None:
    assert mapping.shaped(value) == pytest.approx(shaped)


def test_two_triggers_and_two_buttons_make_one_direction() -> None:
    mapping = load_joy_mapping("gamepad")
    axes, buttons = [0.0] * 6, [0] * 15
    axes[4], axes[5] = 0.25, 1.0
    buttons[14] = 1
    assert mapping.motion[Direction.PITCH].read(axes, buttons) == 0.75
    assert mapping.motion[Direction.ROLL].read(axes, buttons) == 1.0
    buttons[13] = 1
    assert mapping.motion[Direction.ROLL].read(axes, buttons) == 0.0


@pytest.mark.parametrize("axes, buttons, fits", [(8, 11, True), (7, 11, False), (8, 10, False)])
def test_a_pad_with_just_enough_axes_and_buttons(mapping: JoyMapping, axes: int, buttons: int, fits: bool) -> None:
    assert (mapping.missing(axes, buttons) == "") is fits
