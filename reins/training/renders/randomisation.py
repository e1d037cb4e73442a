"""What changes from picture to picture, declared in YAML with ranges and reasons."""

from typing import Final

from reins.contracts.documents import Shelf
from reins.training.ranges import Chance, Choice, Part, Range

SHELF: Final = Shelf("render randomisation", "reins.training", "render_randomisation")
"""The randomisations of pictures that ship with reins."""


class RenderRandomisation(Part):
    """Everything that changes from picture to picture.

    Attributes:
        name, title: of the file.
        held_out: the compositions of things are those that training never sees, instead of all others.
        things, dishes: how many things, and how many of them are bowls or plates.
        alike: two blocks have the same colour.
        block_side, bowl_width, bowl_height, plate_width: sizes [m].
        gap: free distance between the edges of things [m].
        stacked, contained: a block stands on another one; in a bowl or on a plate.
        paint_hue: how far paints are from the nominal one [degrees]; paint_value: brightness as a factor.
        table_value, table_tint, table_pattern: brightness, saturation and pattern of the table top.
        brightness: of a white sheet on the table; lamp_share: part of it that comes from the lamp.
        lamp_height, lamp_side: direction of the lamp [degrees]; warmth: red against blue; shadows: the lamp casts them.
        camera_shift, camera_aim, camera_field: of fixed cameras: place [m], point in the middle [m], view [degrees].
        distractors, distractor: how many things of no known kind lie about, and of what kinds.
        arm_away, arm_holding: the arm is at home; it carries a block. Otherwise it is over the table.
        arm_height: of the tool over the table [m].
    """

    name: str
    title: str
    held_out: bool
    things: Range
    dishes: Range
    alike: Chance
    block_side: Range
    bowl_width: Range
    bowl_height: Range
    plate_width: Range
    gap: Range
    stacked: Chance
    contained: Chance
    paint_hue: Range
    paint_value: Range
    table_value: Range
    table_tint: Range
    table_pattern: Choice
    brightness: Range
    lamp_share: Range
    lamp_height: Range
    lamp_side: Range
    warmth: Range
    shadows: Chance
    camera_shift: Range
    camera_aim: Range
    camera_field: Range
    distractors: Range
    distractor: Choice
    arm_away: Chance
    arm_holding: Chance
    arm_height: Range


def load_render_randomisation(name_or_path: str) -> RenderRandomisation:
    """Load a randomisation by name, or by the path of a YAML file.

    Raises:
        UnknownName: no such randomisation; lists those that exist.
        ReinsError: the file is not valid; names the field.
    """
    return SHELF.load(name_or_path, RenderRandomisation)
