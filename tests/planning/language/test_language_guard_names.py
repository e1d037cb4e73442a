"""What must not be touched is heard however it is named: in quotes, before what forbids it, in English and Chinese."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_tables import scene_of, thing

from reins.contracts.plan import Constraint
from reins.contracts.scene import Scene
from reins.planning.language.guard import said_constraints
from reins.planning.language.guard_chinese import CHINESE_COLOURS, CHINESE_KINDS
from reins.skills.library import SKILLS

COLOURS = {name: sign for sign, name in CHINESE_COLOURS.items()}
KINDS = {"block": "方块", "bowl": "碗", "plate": "盘子"}

things = st.sampled_from([(colour, label) for colour in sorted(COLOURS) for label in KINDS])
pairs = st.lists(things, min_size=2, max_size=2, unique=True)

ENGLISH_FIRST = (
    "do not touch {}",
    "don't go near {}",
    "do NOT go anywhere near {}",
    "don't come anywhere close to {}",
    "never bump against {}",
    "don't even touch {}",
    "under no circumstances touch {}",
    "mind {}",
    "keep off {}",
    "hands off {}",
    "steer clear of {}",
    "watch out for {}",
    "avoid {}",
)
ENGLISH_LAST = (
    "{} must not be touched",
    "{} is not to be moved",
    "{} mustn't be disturbed",
    "{} should never be touched",
    "{} stays where it is",
    "{} is off limits",
    "make sure {} is not moved",
)
CHINESE_FIRST = (
    "不要碰{}",
    "别动{}",
    "千万别去碰{}",
    "禁止触碰{}",
    "避开{}",
    "远离{}",
    "绕开{}",
    "避免碰到{}",
    "离{}远一点",
    "小心{}",
    "注意{}",
    "当心碰到{}",
)
CHINESE_LAST = (
    "{}别碰",
    "{}不要动",
    "{}千万别碰",
    "{}不能碰",
    "{}不许动",
    "{}绝对不要去碰它",
    "让{}保持不动",
    "但是{}别动",
)
QUOTES = ("{}", '"{}"', "“{}”", "'{}'", "‘{}’", "«{}»", "「{}」")


def table(*kinds: tuple[str, str]) -> Scene:
    return scene_of(thing(f"{colour}_{label}", 0.4 + 0.1 * i, 0.2 - 0.3 * i) for i, (colour, label) in enumerate(kinds))


def avoided(said: str, scene: Scene) -> set[str]:
    return {rule.object for rule in said_constraints(said, scene, SKILLS) if rule.kind == "avoid"}


def english(colour: str, label: str) -> str:
    return f"{colour} {label}"


def chinese(colour: str, label: str) -> str:
    return f"{COLOURS[colour]}色{KINDS[label]}"


@given(
    kinds=pairs,
    form=st.sampled_from((*ENGLISH_FIRST, *ENGLISH_LAST)),
    marks=st.sampled_from(QUOTES),
    last=st.booleans(),
)
def test_english(kinds: list[tuple[str, str]], form: str, marks: str, last: bool) -> None:
    (kept, other), scene = kinds, table(*kinds)
    rule, deed = form.format(f"the {marks.format(english(*kept))}"), f"yeet the {english(*other)}"
    said = f"{deed}, {rule}" if last else f"{rule}. {deed}"
    assert avoided(said, scene) == {"_".join(kept)}


@given(
    kinds=pairs,
    form=st.sampled_from((*CHINESE_FIRST, *CHINESE_LAST)),
    marks=st.sampled_from(QUOTES),
    last=st.booleans(),
)
def test_chinese(kinds: list[tuple[str, str]], form: str, marks: str, last: bool) -> None:
    (kept, other), scene = kinds, table(*kinds)
    rule, deed = form.format(marks.format(chinese(*kept))), f"把{chinese(*other)}弄进去"
    said = f"{deed}，{rule}" if last else f"{rule}，{deed}"
    assert avoided(said, scene) == {"_".join(kept)}


@given(kinds=pairs, marks=st.sampled_from(QUOTES))
def test_several_of_them(kinds: list[tuple[str, str]], marks: str) -> None:
    scene, names = table(*kinds), {"_".join(kind) for kind in kinds}
    one, other = (marks.format(english(*kind)) for kind in kinds)
    assert avoided(f"yeet it, don't touch the {one} or the {other}", scene) == names
    assert avoided(f"the {one} and the {other} must not be touched: yeet it", scene) == names
    first, second = (chinese(*kind) for kind in kinds)
    assert avoided(f"别碰{first}和{second}", scene) == names
    assert avoided(f"{first}和{second}都别碰", scene) == names


@given(kinds=pairs, marks=st.sampled_from(QUOTES[1:]))
def test_a_quoted_name_elsewhere_and_a_quoted_sentence_forbid_nothing(kinds: list[tuple[str, str]], marks: str) -> None:
    (one, other), scene = kinds, table(*kinds)
    english_order = f"don\u2019t touch the {english(*one)}"
    for said in (
        f"yeet the {marks.format(english(*one))}",
        f"the note says {marks.format(english_order)}; yeet the {english(*other)}",
        f"don't worry. The {marks.format(english(*one))} goes with the {english(*other)}",
        f"纸条上写着{marks.format('别碰' + chinese(*one))}，把{chinese(*other)}弄进去",
        f"把{marks.format(chinese(*one))}弄进去",
    ):
        assert avoided(said, scene) == set(), said


@pytest.mark.parametrize(
    "said",
    [
        "would you mind picking up the red block",
        "if you don't mind, yeet the red block",
        "never mind the yellow block, yeet the red one",
        "keep the yellow block in mind and yeet it",
        "the yellow block is not moved yet, yeet it",
        "keep the red block off the plate, will you",
        "能不能拿起红色方块",
        "要不要拿起黄色方块",
        "可不可以推黄色方块",
        "分别拿起红色方块和黄色方块",
        "拿起黄色方块别动",
        "把黄色方块放下后别碰",
        "小心黄色方块应该放在碗里",
        "把红色方块移到远离黄色方块的地方",
        "把红色方块推得离黄色方块远一点",
        "拿离黄色方块远一点的方块",
        "别的黄色方块放到碗里",
    ],
)
def test_what_only_sounds_like_it_forbids_nothing(said: str) -> None:
    assert avoided(said, table(("yellow", "block"), ("red", "block"), ("blue", "bowl"))) == set()


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("不要碰黄色方块把红色方块放进碗里", {"yellow_block"}),
        ("在不碰黄色方块的情况下把红色方块放进碗里", {"yellow_block"}),
        ("别碰yellow_block，拿红的", {"yellow_block"}),
        ("yellow_block别碰，拿红的", {"yellow_block"}),
        ("方块都别碰", {"red_block", "yellow_block"}),
        ("黄的别碰", {"yellow_block"}),
        ("那个黄色的别动", {"yellow_block"}),
        ("keep off yellow", {"yellow_block"}),
    ],
)
def test_what_follows_is_something_else(said: str, names: set[str]) -> None:
    assert avoided(said, table(("yellow", "block"), ("red", "block"), ("blue", "bowl"))) == names


FRAGMENTS = (
    *(
        "must not be touched",
        "the yellow block",
        "don't",
        "touch",
        "mind",
        ",",
        ".",
        ":",
        "and",
        "'",
        '"',
        "“",
        "”",
        "yeet",
    ),
    *("不要碰", "别动", "黄色方块", "“黄色", "，", "避开", "小心", "离", "远一点", "除了", "yellow_block", ""),
)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12))
def test_any_words_are_read(words: list[str]) -> None:
    scene = table(("yellow", "block"), ("red", "block"))
    assert avoided(" ".join(words), scene) <= set(scene.objects)


def test_ids_that_say_nothing_are_names_too() -> None:
    scene = scene_of(
        [thing("red_block", 0.4, 0.2), thing("yellow_block_2", 0.4, 0.0), thing("yellow_block", 0.4, -0.2)]
    )
    assert avoided("别碰方块 yellow_block_2", scene) == {"yellow_block_2"}


def test_to_mind_a_thing_in_chinese_is_to_take_care() -> None:
    rules = said_constraints("小心黄色方块", table(("yellow", "block")), SKILLS)
    assert set(rules) == {Constraint(kind="avoid", object="yellow_block"), Constraint(kind="speed", scale=0.5)}


def test_every_kind_of_thing_has_a_chinese_name() -> None:
    assert set(CHINESE_KINDS.values()) == set(KINDS)
