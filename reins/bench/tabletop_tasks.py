"""The tabletop suite's tasks: what is asked in which words, what it is to be answered with, and who disturbs it."""

from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Final

from reins.bench.disturbances import possible_kinds
from reins.contracts.errors import UnknownName
from reins.contracts.scene import Scene
from reins.planning.planner import History
from reins.planning.symbolic import SymbolicPlanner
from reins.sim.predicates import Predicate
from reins.sim.tasks import TabletopTask, generate_task
from reins.skills.library import SKILLS
from reins.training.planner.golden import start_scene
from reins.training.planner.meanings import Act, Meaning
from reins.training.planner.phrases_file import LANGUAGES, load_phrases
from reins.training.planner.references import Describer, Ref
from reins.training.planner.speaker import Speaker
from reins.training.planner.suites import SUITES

CONTROLLED: Final = "controlled"
"""The words that the symbolic planner reads."""

WORDS: Final = (CONTROLLED, *LANGUAGES)
"""The words that tasks can be put in."""

DECLINED: Final = ("ambiguous", "impossible", "unsafe")
"""Planning suites whose instructions call for a question or a refusal."""

_TRIES: Final = 100


@dataclass(frozen=True, slots=True)
class TaskStyle:
    """What the tasks of a suite are like.

    Attributes:
        words: one of WORDS: ordinary English or Chinese, or what the symbolic planner reads.
        declined: share of tasks that call for a question or a refusal.
        disturb: somebody else interferes once in each task that can be done all the same.

    Raises:
        UnknownName: no such words.
    """

    words: str = CONTROLLED
    declined: float = 0.0
    disturb: bool = False

    def __post_init__(self) -> None:
        if self.words not in WORDS:
            raise UnknownName("words", self.words, WORDS)


@dataclass(frozen=True)
class BenchTask:
    """One task of the suite.

    Attributes:
        task: as it is measured in physics; one that is to be declined has no goal.
        wanted: what it is to be answered with: steps, question or refusal.
        disturbance: how it is disturbed, one of `reins.bench.disturbances.KINDS`; "" for not at all.
    """

    task: TabletopTask
    wanted: str = "steps"
    disturbance: str = ""

    @cached_property
    def least(self) -> int:
        """Steps of the shortest plan, by search from the start."""
        if self.wanted != "steps":
            return 0
        scene = start_scene(self.task.world, self.task.seed)
        said = generate_task(self.task.seed).instruction
        return len(SymbolicPlanner(SKILLS).plan(said, scene, History(scene)).steps or ())


def draw_task(seed: int, style: TaskStyle) -> BenchTask:
    """The task of a seed. Its world, goal and poses are the same in every style, unless it is to be declined."""
    rng = Random(f"tabletop/{seed}")
    task = generate_task(seed)
    if rng.random() < style.declined:
        return _declined(task, rng, style.words)
    kinds = possible_kinds(task) if style.disturb else []
    disturbance = rng.choice(kinds) if kinds else ""
    if style.words != CONTROLLED:
        meaning = _meaning(task, start_scene(task.world, task.seed), rng)
        task = replace(task, instruction=Speaker(load_phrases(style.words), rng).say(meaning))
    return BenchTask(task, "steps", disturbance)


def _declined(task: TabletopTask, rng: Random, words: str) -> BenchTask:
    """Something unclear, impossible or unsafe to ask for in the task's world, in ordinary words."""
    scene = start_scene(task.world, task.seed)
    speaker = Speaker(load_phrases("en" if words == CONTROLLED else words), rng)
    for _ in range(_TRIES):
        meaning = SUITES[rng.choice(DECLINED)](scene, rng)
        if meaning is not None:
            asked = replace(task, instruction=speaker.say(meaning), goal=(), forbidden=())
            return BenchTask(asked, meaning.answer)
    raise RuntimeError(f"world '{task.world}' offers nothing to decline in {_TRIES} tries")


def _meaning(task: TabletopTask, scene: Scene, rng: Random) -> Meaning:
    """What a task means, for whoever puts it into words."""
    describer = Describer(scene, rng)

    def called(name: str) -> Ref:
        ref = describer.plain(name)
        assert ref is not None, "an id always tells an object from the others"
        return ref

    acts = tuple(
        _act(goal, scene, called(goal[1]), None if goal[0] == "moved" else called(goal[2])) for goal in task.goal
    )
    return Meaning("tabletop", acts, ordered=len(acts) > 1, avoid=tuple(map(called, task.forbidden)))


def _act(goal: Predicate, scene: Scene, theme: Ref, where: Ref | None) -> Act:
    """A goal as something to do."""
    kind, _, other = goal
    if kind == "moved":
        return Act("push", theme=theme, word=other)
    stacked = kind == "on" and scene.objects[other].label == "block"
    return Act("stack" if stacked else kind, theme=theme, place=where)
