"""Controlled Chinese for legged robots: sentences as people type them, and answers in their language."""

import pytest
from walking_ground import scene

from reins.contracts.plan import Constraint
from reins.contracts.scene import PERSON, STANDING, Scene
from reins.planning.planner import History
from reins.planning.symbolic import SymbolicPlanner
from reins.planning.walking.meaning import read
from reins.planning.walking.numerals import numeral, split
from reins.skills.legged.library import LEGGED_SKILLS

PLANNER = SymbolicPlanner(LEGGED_SKILLS, understand=read)
DOOR, MARKER, SIT = "go_to(object=red_door)", "go_to(object=yellow_marker)", "sit()"


def avoid(name: str, distance: float = 0.0) -> Constraint:
    return Constraint(kind="avoid", object=name, distance=distance)


def said(text: str, seen: Scene | None = None) -> tuple[list[str], list[Constraint]]:
    task = read(text, seen or scene(STANDING), LEGGED_SKILLS)
    return [str(stage.act) for stage in task.stages], list(task.constraints)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        # where to
        ("走到红色的门", [DOOR]),
        ("请走到那扇红色的门那里。", [DOOR]),
        ("走到红色的那扇门", [DOOR]),
        ("到红门那里去", [DOOR]),
        ("到了红门就坐下", [DOOR, SIT]),
        ("去红门（再坐下）", [DOOR, SIT]),
        ("走到红门前坐下", [DOOR, SIT]),
        ("朝红色的门走过去", [DOOR]),
        ("走到红门跟前去，再坐下", [DOOR, SIT]),
        ("你能走到red_door吗？", [DOOR]),
        ("去门口", [DOOR]),
        ("走到红门，再去黄色的标记", [DOOR, MARKER]),
        ("先走到红门然后再到黄色标记上", [DOOR, MARKER]),
        ("绕过蓝箱子到红门", [DOOR]),
        ("从那个人旁边走过去，走到红门", [DOOR]),
        ("从人身边经过走到红门坐下", [DOOR, SIT]),
        ("走到人那里", [f"go_to(object={PERSON})"]),
        # which way, how far
        ("往前走两米", ["walk_to(x=2.0, y=0.0)"]),
        ("向前走 1.5 m", ["walk_to(x=1.5, y=0.0)"]),
        ("前进一米五", ["walk_to(x=1.5, y=0.0)"]),
        ("前进2米半左右", ["walk_to(x=2.5, y=0.0)"]),
        ("后退５０厘米", ["walk_to(x=-0.5, y=0.0)"]),
        ("往左边走半米", ["walk_to(x=0.0, y=0.5)"]),
        ("向右移动三米", ["walk_to(x=0.0, y=-3.0)"]),
        ("走两米后，坐下", ["walk_to(x=2.0, y=0.0)", SIT]),
        # turning
        ("左转", ["turn(angle=1.5708)"]),
        ("向右转４５度", ["turn(angle=-0.7854)"]),
        ("向左九十度", ["turn(angle=1.5708)"]),
        ("往右一百八十度转", ["turn(angle=-3.1416)"]),
        ("转身", ["turn(angle=3.1416)"]),
        ("逆时针转一圈", ["turn(angle=6.2831)"]),
        ("走到红门往左转，等等", [DOOR, "turn(angle=1.5708)", "wait()"]),
        # the rest
        ("停止前进", ["stop()"]),
        ("停下，坐下", ["stop()", SIT]),
        ("跟着人走一分半钟", ["follow(person=person, duration=90.0)"]),
        ("跟在那个人后面走十秒", ["follow(person=person, duration=10.0)"]),
        ("站起来，看看四周，等３秒钟，停下！", ["stand()", "look_around()", "wait(duration=3.0)", "stop()"]),
    ],
)
def test_what_is_understood(text: str, steps: list[str]) -> None:
    assert said(text) == (steps, [])


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("坐下，离人至少一米", [avoid(PERSON, 1.0)]),
        ("坐下，和人保持1.2米以上的距离", [avoid(PERSON, 1.2)]),
        ("与人的距离保持在一点五米，坐下", [avoid(PERSON, 1.5)]),
        ("跟人保持距离，坐下", [avoid(PERSON)]),
        ("始终保持离人两米远，坐下", [avoid(PERSON, 2.0)]),
        ("离人远一点，坐下", [avoid(PERSON)]),
        ("不要靠近人，坐下", [avoid(PERSON)]),
        ("别离人太近，坐下", [avoid(PERSON)]),
        ("避开绿箱子，和人保持一米，坐下", [avoid("green_box"), avoid(PERSON, 1.0)]),
        ("不要靠近人一米以内，坐下", [avoid(PERSON, 1.0)]),
        ("避开绿箱子、蓝箱子和人，坐下", [avoid("green_box"), avoid("blue_box"), avoid(PERSON)]),
        ("不要碰到所有的箱子，坐下", [avoid("green_box"), avoid("blue_box")]),
        ("慢慢地坐下", [Constraint(kind="speed", scale=0.5)]),
        ("非常小心地坐下", [Constraint(kind="speed", scale=0.3)]),
    ],
)
def test_what_is_kept_to(text: str, rules: list[Constraint]) -> None:
    assert said(text) == ([SIT], rules)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("走到沙发那里", "我不认识“沙发”（我看到：blue_box、green_box、red_door、yellow_marker、person）"),
        (
            "去沙发",
            "我不认识“沙发”（我会：走到、转、跟着、环顾四周、站起来、坐下、翻身、等 或 停下；我看到：blue_box、",
        ),
        ("飞起来", "我不认识“飞”（我会：走到、转、跟着、环顾四周、站起来、坐下、翻身、等 或 停下）"),
        ("go 到红门", "我不认识“go”（我会"),
        ("走到紫色的箱子", "这里没有“紫色箱子”；我看到：blue_box"),
        ("往前走十一米", "前后距离是 11.0；必须在 -10.0 到 10.0 m 之间"),
        ("等三百零一秒", "时间是 301.0；必须在 0.5 到 300.0 s 之间"),
        ("跟着蓝色的箱子", "“blue_box”是 box，不是人"),
        ("走到人那里，和人保持两米", "不能既走到 person，又避开它"),
        ("等三米", "我不明白这里的“米”；这里应该是时间（秒或分钟）"),
        ("跟在那个人后面，走十秒", "我不明白这里的“秒”；这里应该是长度"),
        ("向左三秒", "这里应该是长度（米或厘米）"),
        ("往后转三十度", "不能向后"),
        ("向左坐下", "我不明白这里的“向左”"),
        ("朝红门走两米", "“走”可以到 red_door，也可以朝一个方向，但不能同时"),
        ("不要坐下", "“不要”：不要做的事，我只懂不要靠近什么"),
        ("走到红门但别停下", "“别”：不要做的事"),
        ("停止向前走", "我不明白这里的“向前”；这里应该是“然后”，或者句末"),
        ("往前往左走", "我不明白这里的“往左”"),
        ("向左后退一米", "我不明白这里的“后退”"),
        ("走两米三厘米", "我不明白这里的“三”"),
        ("坐下前走两米", "我不明白这里的“前”"),
        ("停止走到红门", "我不明白这里的“走”；这里应该是“然后”，或者句末"),
        ("朝红门坐下", "我不明白这里的“朝”"),
        ("走到箱子后面", "我不明白这里的“后面”"),
        ("走到红门后，坐下", "我不明白这里的“后”"),
        ("从红门走到黄色标记", "我不明白这里的“从”"),
        ("离人一米以内，坐下", "我不明白这里的“以内”"),
        ("离人，坐下", "这里应该是长度"),
        ("保持一米，坐下", "比如“离人一米远”"),
        ("红色的门", "我不明白这里的“红色”；这里应该是一个动作（走到"),
        ("请", "这条指令没有说要做什么"),
        ("走" * 201, "这条指令有 201 个字；我最多读 200 个"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(text: str, answer: str) -> None:
    plan = PLANNER.plan(text, scene(), History(scene()))
    assert plan.refusal is not None and answer in plan.refusal


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("走到箱子那里", "“箱子”指的是哪一个：green_box 或 blue_box？"),
        ("走", "“走”到哪里"),
        ("绕过蓝箱子，坐下", "绕过 blue_box 到哪里？"),
        ("转", "“转”往哪边：左、右，还是转身？"),
        ("跟着", "“跟着”谁？我看到：blue_box"),
        ("避开人", "我会避开。那我要做什么？"),
        ("去它那里", "“它”指的是哪一个？"),
        ("走到所有的箱子", "请一次说一个。先去哪一个"),
    ],
)
def test_what_is_open_is_asked(text: str, question: str) -> None:
    plan = PLANNER.plan(text, scene(), History(scene()))
    assert plan.question is not None and question in plan.question


def test_the_thought_is_in_chinese_too() -> None:
    plan = PLANNER.plan("慢慢走到红门再坐下，离人一米，避开绿箱子", scene(), History(scene()))
    expected = "要做：go_to red_door，然后 sit；与 person 保持 1 米；避开 green_box；速度是全速的 50%"
    assert plan.thought == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("零", 0.0),
        ("两", 2.0),
        ("十", 10.0),
        ("十五", 15.0),
        ("二十", 20.0),
        ("九十九", 99.0),
        ("一百", 100.0),
        ("一百零五", 105.0),
        ("一百五", 150.0),
        ("一百八十", 180.0),
        ("三百六十五", 365.0),
        ("一点二五", 1.25),
        ("零点五", 0.5),
        ("１２．５", 12.5),
        ("3", 3.0),
    ],
)
def test_numbers(text: str, value: float) -> None:
    words = split(f"{text}米")
    assert numeral(words, 0) == (value, len(words) - 1)


@pytest.mark.parametrize("text", ["米", "百", "点五", "半"])
def test_what_is_no_number(text: str) -> None:
    assert numeral(split(text), 0) is None
