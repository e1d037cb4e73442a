"""Plans that passed, by what was asked and how things stood: the same again needs no model.

Things stand the same when the same facts hold of the same objects, in the same order from left to right and from near
to far, now and when the instruction was given, and when the same steps were done with the same success. A plan from
here is verified like any other before it is used.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

from reins.contracts.facts import facts_of
from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.planning.planner import History
from reins.planning.tracing.reading import remembered_share

SIZE: Final = 256
"""Plans that are kept, the ones that were used last."""


class PlanCache:
    """The plans that were used last.

    Args:
        size: how many; 0 for none.

    Attributes:
        hits: questions that were answered from here.
        misses: questions that were not, those to which a plan is here that no longer passes included.
    """

    def __init__(self, size: int = SIZE) -> None:
        self.hits = 0
        self.misses = 0
        self._size = size
        self._plans: OrderedDict[Hashable, Plan] = OrderedDict()

    @property
    def rate(self) -> float:
        """Share of the questions that were answered from here; 0 before the first."""
        return remembered_share(self.hits, self.misses)

    def get(self, key: Hashable, passes: Callable[[Plan], bool]) -> Plan | None:
        """The plan to a question, if it is here and `passes` says that it may be used now."""
        plan = self._plans.get(key)
        if plan is None or not passes(plan):
            self.misses += 1
            return None
        self.hits += 1
        self._plans.move_to_end(key)
        return plan

    def put(self, key: Hashable, plan: Plan) -> None:
        """Keep a plan; the one that was not used for longest makes room."""
        if self._size > 0:
            self._plans[key] = plan
            self._plans.move_to_end(key)
            if len(self._plans) > self._size:
                self._plans.popitem(last=False)


def key_of(instruction: str, scene: Scene, history: History) -> Hashable:
    """What a plan depends on, without coordinates."""
    return (
        " ".join(instruction.split()),
        _abstract(scene),
        _abstract(history.initial),
        tuple((str(record.call), record.success) for record in history.steps),
        history.problems,
        history.forbidden,
        history.agreed,
        tuple(map(str, history.left)),
        tuple((exchange.question, exchange.answer) for exchange in history.exchanges),
    )


def _abstract(scene: Scene) -> Hashable:
    resting = [item for item in scene.objects.values() if item.id != scene.held()]
    return (
        facts_of(scene),
        frozenset((item.id, item.label, item.colour, item.name, item.attributes) for item in scene.objects.values()),
        tuple(item.id for item in sorted(resting, key=lambda item: (-item.position[1], item.id))),
        tuple(item.id for item in sorted(resting, key=lambda item: (item.position[0], item.id))),
    )
