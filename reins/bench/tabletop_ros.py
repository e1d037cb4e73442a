"""The tabletop suite through the launched graph: the same tasks, real processes, in real time."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from reins.bench.audit import LimitAudit
from reins.bench.planner_figures import planner_figures
from reins.bench.report import Report
from reins.bench.tabletop import SETTLE, task_seeds
from reins.bench.tabletop_episode import Episode, judge
from reins.bench.tabletop_report import asked_for, report
from reins.bench.tabletop_tasks import BenchTask, TaskStyle, draw_task
from reins.contracts.errors import ReinsError
from reins.contracts.event import SafetyEvent
from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.demo.session import Session, graph
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import RobotState, SafeCommand
from reins.nodes.recorder import GraphRecorder
from reins.peers.robot import PEERS
from reins.planning.tracing.reading import read_trace
from reins.planning.tracing.trace import default_folder, newest
from reins.rig import RigSettings
from reins.sim.world_state import WorldState
from reins.skills.library import HOME

TASK_LIMIT: Final = 240.0
"""A task that takes longer is cancelled [s], wall clock."""

HOME_LIMIT: Final = 30.0
"""An arm that is not at home after this long is not sent there any more [s], wall clock."""

RESET_LIMIT: Final = 15.0
"""How long the graph may take to see the new world after a reset [s], wall clock."""

SIGHT: Final = 2.0
"""Time for perception to forget the old world and to see the new one [s]."""


class _Watch:
    """Keeps the newest truth and audits everything that reaches the robot."""

    def __init__(self, profile: RobotProfile) -> None:
        self.audit = LimitAudit(profile)
        self.world: WorldState | None = None

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
        """Not needed: the planner's trace tells more."""


def run_tabletop_ros(
    settings: RigSettings,
    episodes: int,
    seed: int,
    on_episode: Callable[[Episode], None] = lambda _: None,
    style: TaskStyle | None = None,
) -> Report:
    """Run the suite through the graph: one graph per world, one task after the other.

    Args:
        settings: backends; the world comes from each task.
        episodes: how many tasks.
        seed: seed of the suite; the tasks are those of the rig.
        on_episode: called as each one ends.
        style: of the tasks; nobody disturbs them here.

    Raises:
        ReinsError: the graph does not come up, or dies.
    """
    style = style or TaskStyle()
    tasks = [draw_task(task_seed, style) for task_seed in task_seeds(seed, episodes)]
    by_world: dict[str, list[BenchTask]] = defaultdict(list)
    for asked in tasks:
        by_world[asked.task.world].append(asked)
    done: dict[int, Episode] = {}
    for world, its_tasks in by_world.items():
        with running_graph(settings, world) as session:
            for asked in its_tasks:
                if settings.backend in PEERS:
                    send_home(session)
                done[asked.task.seed] = run_in_graph(session, asked, load_profile(settings.robot))
                on_episode(done[asked.task.seed])
    ordered = [done[asked.task.seed] for asked in tasks]
    return report(ordered, {**asked_for(settings, style), "seed": seed, "through": "ros"})


@contextmanager
def running_graph(settings: RigSettings, world: str) -> Iterator[Session]:
    """A graph with the backends of `settings`."""
    arguments = {
        "robot": settings.robot,
        "backend": settings.backend,
        "world": world,
        "planner": settings.planner,
        "model": settings.language.model,
        "base_url": settings.language.base_url,
        "mode": settings.cadence.mode,
        "skills": settings.skills,
        "perception": settings.perception,
    }
    with (
        TemporaryDirectory(prefix="reins-bench-") as folder,
        graph("sim", arguments, Path(folder) / "graph.log", lambda _: None) as session,
    ):
        yield session


def run_in_graph(session: Session, asked: BenchTask, profile: RobotProfile) -> Episode:
    """Put the world of a running graph back to the task's start, and run the task.

    Raises:
        ReinsError: the graph does not answer, or the world is not put back; says which.
    """
    client, task = session.client, asked.task
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
    story = read_trace(newest(default_folder()))
    steps = [str(entry["call"]) for entry in story.entries if entry["kind"] == "run"]
    figures = planner_figures(story, task.forbidden)
    return judge(asked, watch.world, outcome, watch.audit.counts, steps, figures)


def send_home(session: Session) -> None:
    """Where a reset puts the arm in a simulator; over a protocol only the table is set anew.

    Raises:
        ReinsError: it does not arrive; says why.
    """
    outcome = session.client.run_skill(SkillCall(skill=HOME.name, arguments={}), (), HOME_LIMIT, lambda _: None)
    if not outcome.success:
        raise ReinsError(f"the arm did not go home before the next task: {outcome.reason}")


def _spin_until(session: Session, condition: Callable[[], bool]) -> None:
    waited = 0.0
    while not condition():
        session.client.spin(0.1)
        waited += 0.1
        if waited > RESET_LIMIT:
            raise ReinsError(f"the graph shows no new world {RESET_LIMIT:g} s after the reset; its log says more")
