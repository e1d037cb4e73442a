"""Controlled English: what is understood, and how everything else is turned down."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_tables import TABLETOP, scene_of, tabletop, thing

from reins.contracts.facts import Fact
from reins.contracts.scene import Scene
from reins.planning.answers import CannotDo, Unclear
from reins.planning.english.lexicon import Kind, vocabulary
from reins.planning.english.meaning import read
from reins.planning.goals import Displace, Task
from reins.skills.library import SKILLS

Stages = list[set[Fact | str]]

R, G, B, Y = "red_block", "green_block", "blue_block", "yellow_block"
BOWL, PLATE = "blue_bowl", "white_plate"

RED_IN_BOWL: Stages = [{("in", R, BOWL)}]


def wanted(task: Task) -> Stages:
    """The goals of every stage; an act as its text."""
    return [{str(stage.act)} if stage.act else {goal.fact for goal in stage.goals} for stage in task.stages]


def understood(instruction: str, scene: Scene | None = None) -> Stages:
    return wanted(read(instruction, scene or tabletop(), SKILLS))


UNDERSTOOD: list[tuple[str, Stages]] = [
    # putting things in, on, beside
    ("put the red block in the blue bowl", RED_IN_BOWL),
    ("Put the red block into the bowl.", RED_IN_BOWL),
    ("please put the red brick inside the basin", RED_IN_BOWL),
    ("Could you drop the red cube in the blue bowl, please?", RED_IN_BOWL),
    ("I'd like you to place the red one inside of the bowl", RED_IN_BOWL),
    ("hey robot, move the red block to the bowl", RED_IN_BOWL),
    ("bring red_block to blue_bowl", RED_IN_BOWL),
    ("transfer the red block into the blue one", RED_IN_BOWL),
    ("PUT THE RED BLOCK IN THE BOWL!!!", RED_IN_BOWL),
    ("put red in blue", RED_IN_BOWL),
    ("take the red block to the bowl", RED_IN_BOWL),
    ("place the green block on the white plate", [{("on", G, PLATE)}]),
    ("set the green cube onto the dish", [{("on", G, PLATE)}]),
    ("lay the green block down on top of the plate", [{("on", G, PLATE)}]),
    ("stack the red block on the blue block", [{("on", R, B)}]),
    ("pile the red brick atop the blue brick", [{("on", R, B)}]),
    ("put red on blue", [{("on", R, B)}]),
    ("put the yellow block beside the blue bowl", [{("beside", Y, BOWL)}]),
    ("set the yellow block down next to the bowl", [{("beside", Y, BOWL)}]),
    ("put the yellow block by the bowl", [{("beside", Y, BOWL)}]),
    ("put the red block left of the bowl", [{("beside", R, BOWL), ("left_of", R, BOWL)}]),
    ("put the red block to the right of the bowl", [{("beside", R, BOWL), ("right_of", R, BOWL)}]),
    ("put the red block in front of the bowl", [{("beside", R, BOWL), ("in_front_of", R, BOWL)}]),
    ("put the red block behind the bowl", [{("beside", R, BOWL), ("behind", R, BOWL)}]),
    ("put the red block on the table", [{("on", R, "table")}]),
    ("stack the red block on the blue block on the green block", [{("on", R, B), ("on", B, G)}]),
    # taking
    ("pick up the red block", [{("holding", R)}]),
    ("pick the red block up", [{("holding", R)}]),
    ("grab the red block", [{("holding", R)}]),
    ("lift the red cube", [{("holding", R)}]),
    ("hold the red block", [{("holding", R)}]),
    ("take the red block off the table", [{("holding", R)}]),
    # pushing
    ("push the green block left", [{("moved", G, "left")}]),
    ("slide the green block to the right", [{("moved", G, "right")}]),
    ("move the green block forward", [{("moved", G, "forward")}]),
    ("nudge the green block towards the robot", [{("moved", G, "back")}]),
    ("push the red and the green block left", [{("moved", R, "left"), ("moved", G, "left")}]),
    # acts
    ("go home", [{"home()"}]),
    ("home", [{"home()"}]),
    ("please return to the home position", [{"home()"}]),
    ("move the arm home", [{"home()"}]),
    ("open the gripper", [{"open_gripper()"}]),
    ("close your hand", [{"close_gripper()"}]),
    ("move to the red block", [{"move_to(target=red_block)"}]),
    ("hover over the plate", [{"move_to(target=white_plate)"}]),
    ("move the gripper above the red block", [{"move_to(target=red_block)"}]),
    ("go 15 cm above the red block", [{"move_to(target=red_block, height=0.15)"}]),
    # together and one after the other
    ("put the red block in the bowl and the green one on the plate", [{("in", R, BOWL), ("on", G, PLATE)}]),
    ("put the red block in the bowl and the green block too", [{("in", R, BOWL), ("in", G, BOWL)}]),
    ("put the red block in the bowl and the green block there too", [{("in", R, BOWL), ("in", G, BOWL)}]),
    ("put the red block, the green block and the blue block in the bowl", [{("in", x, BOWL) for x in (R, G, B)}]),
    ("put the red block in the bowl and then the green block on the plate", [{("in", R, BOWL)}, {("on", G, PLATE)}]),
    ("put the red block in the bowl. After that, go home.", [{("in", R, BOWL)}, {"home()"}]),
    ("first go home, then open the gripper", [{"home()"}, {"open_gripper()"}]),
    ("push the green block left and the blue block right", [{("moved", G, "left")}, {("moved", B, "right")}]),
    ("stack red on blue and blue on green", [{("on", R, B), ("on", B, G)}]),
    ("put red on blue and then put red on green", [{("on", R, B)}, {("on", R, G)}]),
    # several
    ("put all the blocks in the bowl", [{("in", x, BOWL) for x in (R, G, B, Y)}]),
    ("put every cube in the bowl", [{("in", x, BOWL) for x in (R, G, B, Y)}]),
    ("put everything on the plate", [{("on", x, PLATE) for x in (R, G, B, Y)}]),
    ("put the blocks on the plate", [{("on", x, PLATE) for x in (R, G, B, Y)}]),
    ("put all the blocks except the red one in the bowl", [{("in", x, BOWL) for x in (G, B, Y)}]),
    ("put all of the blocks but the red one in the bowl", [{("in", x, BOWL) for x in (G, B, Y)}]),
    ("put everything in the bowl apart from the red and green blocks", [{("in", x, BOWL) for x in (B, Y)}]),
    ("put the red and green blocks in the bowl", [{("in", R, BOWL), ("in", G, BOWL)}]),
    ("put all the blocks on the red block", [{("on", x, R) for x in (G, B, Y)}]),
    # what words stand for
    ("pick up the red block and put it in the bowl", [{("holding", R)}, {("in", R, BOWL)}]),
    ("take the red block and place it on the plate", [{("holding", R)}, {("on", R, PLATE)}]),
    ("put red on green, then put yellow on it", [{("on", R, G)}, {("on", Y, R)}]),
    ("put red in the bowl, then put yellow beside it", [{("in", R, BOWL)}, {("beside", Y, BOWL)}]),
    ("pick up the leftmost block", [{("holding", R)}]),
    ("pick up the left block", [{("holding", R)}]),
    ("put the block on the right in the bowl", [{("in", Y, BOWL)}]),
    ("pick up red, then put everything else in the bowl", [{("holding", R)}, {("in", x, BOWL) for x in (G, B, Y)}]),
]


@pytest.mark.parametrize("instruction, stages", UNDERSTOOD, ids=[instruction for instruction, _ in UNDERSTOOD])
def test_understands(instruction: str, stages: Stages) -> None:
    assert understood(instruction) == stages


@pytest.mark.parametrize(
    "instruction, where, stages",
    [
        ("take the red block out of the bowl", {R: "in blue_bowl"}, [{("on", R, "table")}]),
        ("remove the red block from the bowl", {R: "in blue_bowl"}, [{("on", R, "table")}]),
        (
            "take the block from the bowl and put it on the plate",
            {R: "in blue_bowl"},
            [{("holding", R)}, {("on", R, PLATE)}],
        ),
        ("pick up the block in the bowl", {G: "in blue_bowl"}, [{("holding", G)}]),
        ("pick up the block that is on the plate", {G: "on white_plate"}, [{("holding", G)}]),
        ("put the block in the bowl on the plate", {G: "in blue_bowl"}, [{("on", G, PLATE)}]),
        ("move the block from the plate to the bowl", {G: "on white_plate"}, [{("in", G, BOWL)}]),
        ("put the red block in the bowl", {}, RED_IN_BOWL),
    ],
)
def test_understands_where_things_are(instruction: str, where: dict[str, str], stages: Stages) -> None:
    assert understood(instruction, tabletop(**where)) == stages


@pytest.mark.parametrize(
    "instruction", ["put it down", "drop it", "put down the block", "let go", "put the block down", "release the block"]
)
def test_what_is_held_is_what_is_put_down(instruction: str) -> None:
    assert understood(instruction, tabletop(held=R)) == [{("on", R, "table")}]


@pytest.mark.parametrize(
    "instruction, avoid",
    [
        ("put the red block in the bowl but don't touch the yellow block", {Y}),
        ("don't touch the yellow block and put the red block in the bowl", {Y}),
        ("Without touching the yellow block, put the red block in the bowl", {Y}),
        ("put the red block in the bowl, avoiding the yellow block and the plate", {Y, PLATE}),
        ("put the red block in the bowl and leave the yellow block alone", {Y}),
        ("put the red block in the bowl but never touch the yellow block or the green one", {Y, G}),
        ("put the red block in the bowl but be careful not to bump into the plate", {PLATE}),
        ("keep away from the yellow block. put the red block in the bowl", {Y}),
        ("put the red block in the bowl and do not touch anything else", {G, B, Y, PLATE}),
        ("put the red block in the bowl but don't touch any other block", {G, B, Y}),
        ("put the red block in the bowl but don't move the others", {G, B, Y, PLATE}),
    ],
)
def test_understands_what_to_avoid(instruction: str, avoid: set[str]) -> None:
    task = read(instruction, tabletop(), SKILLS)
    assert wanted(task) == RED_IN_BOWL
    assert {rule.object for rule in task.constraints if rule.kind == "avoid"} == avoid


def test_all_leaves_out_what_must_not_be_touched() -> None:
    assert understood("put all the blocks in the bowl without touching the yellow one") == [
        {("in", name, BOWL) for name in (R, G, B)}
    ]


@pytest.mark.parametrize(
    "words, scale",
    [("carefully", 0.5), ("gently", 0.5), ("slowly", 0.3), ("very carefully", 0.3), ("very slowly", 0.2)],
)
@pytest.mark.parametrize("pattern", ["{} put the red block in the bowl", "put the red block in the bowl {}"])
def test_care_limits_the_speed(words: str, scale: float, pattern: str) -> None:
    task = read(pattern.format(words), tabletop(), SKILLS)
    assert [rule.scale for rule in task.constraints if rule.kind == "speed"] == [scale]


def test_haste_is_ignored_and_said_so() -> None:
    task = read("quickly put the red block in the bowl", tabletop(), SKILLS)
    assert task.constraints == () and "'quickly' is ignored" in task.summary


@pytest.mark.parametrize(
    "instruction, distance",
    [
        ("push the red block left", 0.10),
        ("push the red block 5 cm left", 0.05),
        ("push the red block left by 80 mm", 0.08),
        ("push the red block to the left by about 0.12 m", 0.12),
        ("push the red block ten centimetres to the left", 0.10),
        ("push the red block a bit to the left", 0.05),
    ],
)
def test_distances(instruction: str, distance: float) -> None:
    (stage,) = read(instruction, tabletop(), SKILLS).stages
    (goal,) = stage.goals
    assert isinstance(goal, Displace) and goal.distance == pytest.approx(distance)


@pytest.mark.parametrize(
    "instruction, named",
    [
        # unknown words are named, with what is meant or what exists
        ("juggle the red block", ["juggle", "pick up"]),
        ("pik up the red block", ["pik", "did you mean 'pick'"]),
        ("put the red bloc in the bowl", ["bloc", "did you mean 'block'", "white_plate"]),
        ("put the banana in the bowl", ["banana", "red_block"]),
        ("put the red block bewteen the bowl and the plate", ["bewteen"]),
        ("put the shiny block in the bowl", ["shiny"]),
        # known words, nothing like it here
        ("put the purple block in the bowl", ["purple block", "red_block", "green_block"]),
        ("put the red block in the green bowl", ["green bowl", "blue_bowl"]),
        ("don't touch the purple block and go home", ["purple block"]),
        # impossible for anybody
        ("push the table", ["table"]),
        ("put the red block beside the table", ["table"]),
        ("put the red block above the bowl", ["above"]),
        ("open the bowl", ["gripper"]),
        ("avoid the table and go home", ["table"]),
        ("push the red block 50 cm left", ["0.5", "0.2"]),
        ("push the red block into the bowl", ["put"]),
        ("go left", ["left"]),
        # nothing that is said is passed over
        ("lift the red block 10 cm", ["distance"]),
        ("put the red block 5 cm to the left of the bowl", ["distance"]),
        ("put the red block up", ["up"]),
        ("do not put the red block in the bowl", ["not to touch"]),
        ("put the red block in the bowl the", ["'the'"]),
        ("put the red block in the", ["ends"]),
        ("the red block", ["a verb"]),
        ("push the red block 5 left", ["unit"]),
        ("stop", ["emergency stop"]),
        ("", ["nothing"]),
        ("please", ["nothing"]),
        ("put " * 300, ["300 words"]),
    ],
)
def test_refuses_and_names_the_trouble(instruction: str, named: list[str]) -> None:
    with pytest.raises(CannotDo) as refusal:
        read(instruction, tabletop(), SKILLS)
    assert all(word in str(refusal.value) for word in named), str(refusal.value)


@pytest.mark.parametrize(
    "instruction, named",
    [
        ("put the block in the bowl", [R, G, B, Y]),
        ("put both blocks in the bowl", [R, G, B, Y]),
        ("pick it up", ["'it'"]),
        ("put the red block", ["Where", R]),
        ("push the red block", ["Which way", "left"]),
        ("stack the red, green and blue blocks", ["order", R, G, B]),
        ("move the red block to the blue block", ["On blue_block, or beside it"]),
        ("put the red block or the green block in the bowl", ["which"]),
        ("put it there", ["'it'"]),
        ("put the red block there", ["there"]),
        ("put down", ["what"]),
        ("put the small block in the bowl", [R]),
        ("don't touch the yellow block", ["What shall I do"]),
        ("go to the blocks", ["one thing at a time"]),
        ("go", ["Where"]),
    ],
)
def test_asks_when_it_is_unclear(instruction: str, named: list[str]) -> None:
    with pytest.raises(Unclear) as question:
        read(instruction, tabletop(), SKILLS)
    assert str(question.value).endswith("?")
    assert all(word in str(question.value) for word in named), str(question.value)


def test_two_red_blocks_are_asked_about_by_id_and_the_id_is_an_answer() -> None:
    scene = tabletop("red_block", "red_block_2", "blue_bowl")
    with pytest.raises(Unclear, match=r"red_block or red_block_2|red_block_2 or red_block"):
        read("put the red block in the bowl", scene, SKILLS)
    assert understood("put red_block_2 in the bowl", scene) == [{("in", "red_block_2", BOWL)}]
    assert understood("put the red blocks in the bowl", scene) == [{("in", R, BOWL), ("in", "red_block_2", BOWL)}]
    assert understood("pick up the leftmost red block", scene) == [{("holding", R)}]


def test_the_other_one() -> None:
    scene = tabletop(R, G, BOWL)
    assert understood("pick up the red block, then put the other block in the bowl", scene) == [
        {("holding", R)},
        {("in", G, BOWL)},
    ]
    assert understood("put the red block on the other one", scene) == [{("on", R, G)}]


def test_both_means_two() -> None:
    assert understood("put both blocks in the bowl", tabletop(R, G, BOWL)) == [{("in", R, BOWL), ("in", G, BOWL)}]


def test_any_prefers_one_that_is_free_to_take() -> None:
    scene = tabletop(R, G, BOWL, red_block="on green_block")
    assert understood("put a block in the bowl", scene) == RED_IN_BOWL


def test_words_of_the_scene_are_understood_without_being_in_the_lexicon() -> None:
    scene = scene_of([thing("teal_block", 0.4, 0.1), thing("blue_bowl", 0.5, -0.2)])
    assert understood("put the teal block in the bowl", scene) == [{("in", "teal_block", BOWL)}]


def test_lasting_goals_are_kept_until_something_else_is_wanted_of_the_object() -> None:
    task = read("put red on blue, then put green in the bowl, then push red left, then go home", tabletop(), SKILLS)
    kept = [{goal.fact for goal in stage.kept} for stage in task.stages]
    assert kept == [set(), {("on", R, B)}, {("in", G, BOWL)}, {("in", G, BOWL)}]


COLOURED = {name: name.replace("_", " ") for name in TABLETOP}
CLAUSES = {
    "in": ("put the {} in the {}", "drop the {} into the {}", "place the {} inside the {}"),
    "on": ("put the {} on the {}", "stack the {} on top of the {}", "set the {} onto the {}"),
    "beside": ("put the {} beside the {}", "place the {} next to the {}"),
}


@given(
    facts=st.lists(
        st.tuples(st.sampled_from(sorted(CLAUSES)), st.sampled_from((R, G, B, Y)), st.sampled_from(sorted(TABLETOP))),
        min_size=1,
        max_size=4,
        unique_by=lambda fact: fact[1],
    ),
    choice=st.integers(0, 1),
    link=st.sampled_from((" and ", ", then ", ". ")),
)
def test_what_is_said_is_what_is_understood(facts: list[Fact], choice: int, link: str) -> None:
    text = link.join(CLAUSES[name][choice].format(COLOURED[a], COLOURED[b]) for name, a, b in facts)
    assert {fact for stage in understood(text) for fact in stage} == set(facts)


@given(
    st.lists(
        st.one_of(
            st.sampled_from(sorted(vocabulary(tabletop()))),
            st.sampled_from(["zebra", "12", "0.5", "%", "put", "the", "block", "in", "red", "bowl"]),
        ),
        max_size=12,
    )
)
def test_any_words_end_in_an_understanding_a_question_or_a_refusal(words: list[str]) -> None:
    with contextlib.suppress(CannotDo, Unclear):
        assert read(" ".join(words), tabletop(), SKILLS).stages


def test_no_phrase_means_two_things_and_every_kind_of_word_is_there() -> None:
    known = vocabulary(tabletop())
    assert {kind for kind, _ in known.values()} == set(Kind)
