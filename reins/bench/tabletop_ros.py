"""The tabletop suite through the launched graph: the same tasks, real processes, in real time."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from reins.bench.audit import LimitAudit
from reins.bench.report import Report
from reins.bench.tabletop import SETTLE, Episode, judge, report, task_seeds
from reins.contracts.errors import ReinsError
from reins.contracts.event import SafetyEvent
from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.demo.session import Session, graph
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import RobotState, SafeCommand
from reins.nodes.recorder import GraphRecorder
from reins.rig import RigSettings
from reins.sim.tasks import TabletopTask, generate_task
from reins.sim.world_state import WorldState

TASK_LIMIT: Final = 240.0
"""A task that takes longer is cancelled [s], wall clock."""

RESET_LIMIT: Final = 15.0
"""How long the graph may take to see the new world after a reset [s], wall clock."""

SIGHT: Final = 2.0
"""Time for perception to forget the old world and to see the new one [s]."""


class _Watch:
    """Keeps the newest truth and audits everything that reaches the robot."""

    def __init__(self, profile: RobotProfile) -> None:
        self.audit = LimitAudit(profile)
        self.world: WorldState | None = None
        self.steps: list[str] = []

    def on_state(self, state: RobotState) -> None:
        self.audit.on_state(state)

    def on_command(self, command: SafeCommand) -> None:
        self.audit.on_command(command)

    def on_world(self, world: WorldState) -> None:
        self.world = world

    def on_event(self, event: SafetyEvent) -> None:
        """Not needed."""

    def on_mode(self, stamp: float, mode: str, reason: str) -> None:
        """Not needed."""

    def on_scene(self, scene: Scene) -> None:
        """Not needed."""

    def on_plan(self, stamp: float, plan: Plan) -> None:
        self.steps.extend(str(call) for call in plan.steps or ())


def run_tabletop_ros(
    settings: RigSettings, episodes: int, seed: int, on_episode: Callable[[Episode], None] = lambda _: None
) -> Report:
    """Run the suite through the graph: one graph per world, one task after the other.

    Args:
        settings: backends; the world comes from each task.
        episodes: how many tasks.
        seed: seed of the suite; the tasks are those of the rig.
        on_episode: called as each one ends.

    Raises:
        ReinsError: the graph does not come up, or dies.
    """
    tasks = [generate_task(task_seed) for task_seed in task_seeds(seed, episodes)]
    by_world: dict[str, list[TabletopTask]] = defaultdict(list)
    for task in tasks:
        by_world[task.world].append(task)
    done: dict[int, Episode] = {}
    for world, its_tasks in by_world.items():
        with _running(settings, world) as session:
            for task in its_tasks:
                done[task.seed] = _episode(session, task, load_profile(settings.robot))
                on_episode(done[task.seed])
    asked = {"planner": settings.planner, "skills": settings.skills, "perception": settings.perception}
    where = {"robot": settings.robot, "backend": settings.backend}
    return report([done[task.seed] for task in tasks], {**asked, **where, "seed": seed, "through": "ros"})


@contextmanager
def _running(settings: RigSettings, world: str) -> Iterator[Session]:
    arguments = {
        "robot": settings.robot,
        "backend": settings.backend,
        "world": world,
        "planner": settings.planner,
        "skills": settings.skills,
        "perception": settings.perception,
    }
    with (
        TemporaryDirectory(prefix="reins-bench-") as folder,
        graph("sim", arguments, Path(folder) / "graph.log", lambda _: None) as session,
    ):
        yield session


def _episode(session: Session, task: TabletopTask, profile: RobotProfile) -> Episode:
    client = session.client
    watch = _Watch(profile)
    recorder = GraphRecorder(client, watch, watch.on_command)
    try:
        reply = client.reset_world(task.seed)
        if not reply.accepted:
            raise ReinsError(f"the world was not reset: {reply.message}")
        _spin_until(session, lambda: watch.world is not None and watch.world.seed == task.seed)
        client.spin(SIGHT)
        watch.audit = LimitAudit(profile)
        outcome = client.execute_task(task.instruction, TASK_LIMIT, lambda _: None)
        client.spin(SETTLE)
    finally:
        recorder.close()
    assert watch.world is not None
    return judge(task, watch.world, outcome, watch.audit.counts, watch.steps)


def _spin_until(session: Session, condition: Callable[[], bool]) -> None:
    waited = 0.0
    while not condition():
        session.client.spin(0.1)
        waited += 0.1
        if waited > RESET_LIMIT:
            raise ReinsError(f"the graph shows no new world {RESET_LIMIT:g} s after the reset; its log says more")
