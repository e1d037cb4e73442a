"""A table that skills act on, without physics: they do what they declare, unless the test says otherwise."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import hypot

from planning_tables import SPREAD, scene_of

from reins.contracts.facts import AXES
from reins.contracts.plan import Constraint, SkillCall
from reins.contracts.scene import TABLE, Scene, SceneObject
from reins.planning.actions import Ask, Done, Look, RunSkill
from reins.planning.approval import Answer
from reins.planning.executor import TaskExecutor
from reins.skills.library import DEFAULT_PUSH

LOOK = 0.5
"""Time between scenes [s]."""

DURATION = 4.0
"""How long a skill takes [s]."""

MOST_ACTIONS = 400
"""A task that takes more than this many turns does not end."""

SPOTS = [(0.25 + 0.09 * i, -0.4 + 0.1 * j) for i in range(5) for j in range(9)]
"""Places on the table where something can be put [m]."""


class World:
    """Objects and a gripper.

    Args:
        scene: how it begins.

    Attributes:
        ran: every skill that was run, with its constraints.
        faults: (skill name, number) of the runs that fail; the number counts from 0 per skill.
        lies: runs that report success and do nothing.
        events: what happens after the n-th run of any skill, n from 1.
        hidden: ids that perception does not show.
        asked: every plan that waited for an answer.
        answers: what the operator says to these, in turn.
        hides_until_home: whatever a skill moves is not seen until the arm goes home.
    """

    def __init__(self, scene: Scene) -> None:
        self.objects = dict(scene.objects)
        self.held = scene.held()
        self.t = scene.stamp
        self.ran: list[tuple[SkillCall, tuple[Constraint, ...]]] = []
        self.faults: set[tuple[str, int]] = set()
        self.lies: set[tuple[str, int]] = set()
        self.events: dict[int, Callable[[World], None]] = {}
        self.hidden: set[str] = set()
        self.asked: list[Ask] = []
        self.answers: list[Answer] = []
        self.hides_until_home = False
        self._believed = dict(scene.objects)
        self._covered: set[str] = set()

    @property
    def calls(self) -> list[str]:
        """What ran, as text."""
        return [str(call) for call, _ in self.ran]

    def scene(self) -> Scene:
        """What perception shows now: of what the arm covers, what it saw last. The fingers feel what they hold."""
        for name, item in self.objects.items():
            if name not in self._covered:
                self._believed[name] = replace(item, last_seen=self.t)
        shown = [item for name, item in self._believed.items() if name not in self.hidden]
        return scene_of(shown, self.held if self.held not in self.hidden else None, self.t)

    def drive(self, executor: TaskExecutor, on_look: Callable[["World"], None] | None = None) -> Done:
        """Let an executor work until it is done."""
        for _ in range(MOST_ACTIONS):
            action = executor.next(self.scene(), self.t)
            if isinstance(action, Done):
                return action
            if isinstance(action, Look):
                self.t += LOOK
                if on_look is not None:
                    on_look(self)
            elif isinstance(action, RunSkill):
                success, reason = self.run(action)
                executor.skill_finished(success, reason, self.t)
            elif isinstance(action, Ask):
                self.asked.append(action)
                executor.answer(self.answers.pop(0), self.scene(), self.t)
        raise AssertionError(f"no end after {MOST_ACTIONS} actions: {self.calls}")

    def run(self, action: RunSkill) -> tuple[bool, str]:
        """Carry out a skill: whether it says that it succeeded, and why not."""
        call = action.call
        run = (call.skill, sum(before.skill == call.skill for before, _ in self.ran))
        self.ran.append((call, action.constraints))
        self.t += DURATION
        result = (True, "")
        if call.skill == "home":
            self._covered.clear()
        if run in self.faults:
            result = (False, "the fingers closed on nothing")
        elif run not in self.lies:
            before = dict(self.objects)
            self._do(call)
            if self.hides_until_home:
                self._covered |= {name for name, item in self.objects.items() if item != before[name]}
        if event := self.events.get(len(self.ran)):
            event(self)
        return result

    def move(self, name: str, x: float, y: float, bottom: float = 0.0) -> None:
        """Put an object somewhere."""
        item = self.objects[name]
        self.objects[name] = replace(item, position=(x, y, bottom + item.size[2] / 2))
        if self.held == name:
            self.held = None

    def to_table(self, name: str) -> None:
        """Put an object on a free place of the table."""
        self.move(name, *self._free(name, SPOTS))

    def put(self, name: str, relation: str, other: str) -> None:
        """Put an object in or on another one."""
        below = self.objects[other]
        x, y = below.position[:2]
        spread = SPREAD if below.label in ("bowl", "plate") else ((0.0, 0.0),)
        spots = [(x + dx, y + dy) for dx, dy in spread]
        self.move(name, *self._free(name, spots), below.top if relation == "on" else 0.01)

    def _do(self, call: SkillCall) -> None:
        arguments, held = call.arguments, self.held
        if call.skill == "pick":
            assert held is None, "picked with a full hand"
            self.held = str(arguments["object"])
            self.move_held()
        elif call.skill == "push":
            axis, sign = AXES[str(arguments["direction"])]
            name = str(arguments["object"])
            position = list(self.objects[name].position)
            position[axis] += sign * float(arguments.get("distance", DEFAULT_PUSH))
            self.objects[name] = replace(self.objects[name], position=(position[0], position[1], position[2]))
        elif call.skill.startswith("place"):
            assert held is not None, f"{call} with an empty hand"
            self._place(held, call)
            self.held = None

    def move_held(self) -> None:
        """The held object hangs in the air, above everything."""
        assert self.held is not None
        item = self.objects[self.held]
        self.objects[self.held] = replace(item, position=(0.4, 0.0, 0.4))

    def _place(self, held: str, call: SkillCall) -> None:
        where = str(next(iter(call.arguments.values())))
        if where == TABLE:
            self.to_table(held)
        elif call.skill == "place_beside":
            self._place_beside(held, self.objects[where], str(call.arguments.get("side", "beside")))
        else:
            self.put(held, "in" if call.skill == "place_in" else "on", where)

    def _place_beside(self, held: str, other: SceneObject, side: str) -> None:
        reach = other.size[0] / 2 + self.objects[held].size[0] / 2 + 0.03
        ways = {"left_of": (0, 1), "right_of": (0, -1), "behind": (1, 0), "in_front_of": (-1, 0)}
        chosen = [ways[side]] if side in ways else list(ways.values())
        spots = [(other.position[0] + reach * dx, other.position[1] + reach * dy) for dx, dy in chosen]
        self.move(held, *self._free(held, spots))

    def _free(self, name: str, spots: Iterable[tuple[float, float]]) -> tuple[float, float]:
        """The spot that is farthest from every other block, and over no bowl or plate unless all spots are."""
        others = [item for other, item in self.objects.items() if other not in (name, self.held)]

        def room(spot: tuple[float, float]) -> float:
            gaps = [hypot(item.position[0] - spot[0], item.position[1] - spot[1]) - item.size[0] / 2 for item in others]
            return min(gaps, default=1.0)

        return max(spots, key=room)
