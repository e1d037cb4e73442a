"""The black box: keeps the last minute of the graph in memory and writes it to an MCAP file at every stop.

It takes messages as bytes, a few times a second, at low priority and with nobody waiting for it: a recorder that is
slow or dead changes nothing about how the robot moves.
"""

import platform
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from pydantic import Field
from rclpy.serialization import deserialize_message
from reins_msgs import msg as ros
from std_srvs.srv import Trigger

from reins import __version__
from reins.blackbox.case import SAVED, Case, entries
from reins.blackbox.folder import default_folder, fallback_folder, name_for, prune, usable
from reins.blackbox.ring import Ring
from reins.blackbox.stops import Cause, StopWatch
from reins.blackbox.writing import write
from reins.contracts.errors import ReinsError
from reins.hardware.profile import load_profile
from reins.hardware.profile_base import Profile
from reins.nodes.base import ManagedNode
from reins.nodes.blackbox_topics import IN_FORCE, described, topics_of
from reins.nodes.control_loop import ControlLoop
from reins.nodes.parameters import Settings
from reins.nodes.raw_inbox import RawInbox, RawMessage
from reins.nodes.running import run
from reins.nodes.waiting import first_of, wake
from reins.nodes.wires import wire_of

TAKE_RATE: Final = 10.0
"""How often the bulk is taken [Hz]; it waits in the middleware meanwhile."""

ALIVE: Final = 10.0
"""A thread that has not come round for this long hangs [s]; patient, for it yields to all others."""

WRITE_LIMIT: Final = 3.5
"""How long a file may take when the node stops [s]."""

ASKED_LIMIT: Final = 30.0
"""How long it may take when somebody asked for it [s]."""

PACKAGES: Final = ("mcap", "mujoco", "numpy", "daqp", "pin")
"""Whose versions a file names."""

NANOSECONDS: Final = 1_000_000_000


class BlackboxSettings(Settings):
    """Parameters of the black box."""

    robot: str = Field("franka", description="robot profile: a name, or the path of a YAML file")
    folder: str = Field(
        "",
        description="where files go; empty: $ROS_LOG_DIR/blackbox, or ~/.ros/reins/blackbox where that is not set",
    )
    span: float = Field(60.0, ge=1.0, le=600.0, description="how far back a file goes [s]")
    after: float = Field(1.0, ge=0.0, le=10.0, description="how long after a stop it is written, for the braking [s]")
    keep: int = Field(20, ge=1, le=10_000, description="files that stay; older ones are removed")
    memory: int = Field(64, ge=1, le=4096, description="messages in memory at most [MiB]; the oldest go first")


class BlackboxNode(ManagedNode[BlackboxSettings]):
    """Executor: lifecycle and the service. Thread: takes messages, notices stops. A second thread writes files.

    The writing thread starts before the process lowers its priority. After a node's death the graph ends in a few
    seconds, and the file must be done by then, above all where an overloaded machine was the cause; by the time it is
    written the arm stands.
    """

    niceness = 10

    _profile: Profile
    _folder: Path

    def __init__(self) -> None:
        super().__init__("blackbox", BlackboxSettings)
        self._loop: ControlLoop | None = None
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="write")
        self._pool.submit(lambda: None)  # it starts its thread with the first job
        self._writes: list[Future[Path]] = []

    def configure(self) -> None:
        """Find a folder, read the message definitions, listen."""
        settings = self.settings
        self._profile = load_profile(settings.robot, Profile)
        self._axes = wire_of(self._profile).axes(self._profile)
        topics = topics_of(self._profile)
        self._folder = self._find_folder()
        self._inboxes = {name: RawInbox(self, message, name, qos) for name, message, qos in topics}
        self._topics = {self._inboxes[name].topic: described(message) for name, message, _qos in topics}
        latched = frozenset(self._inboxes[name].topic for name in IN_FORCE)
        self._ring = Ring(round(settings.span * NANOSECONDS), settings.memory << 20, latched)
        self._stops = StopWatch(round(settings.after * NANOSECONDS))
        self.create_service(Trigger, "blackbox/save", self._on_save)

    def activate(self) -> None:
        """Begin to record."""
        at_once = [
            (self._inboxes["safety/events"], self._on_event),
            (self._inboxes["safety/state"], self._on_safety_state),
        ]
        self._loop = ControlLoop(self, 1.0 / TAKE_RATE, self._tick, at_once, self.fail)
        self._loop.start()

    def deactivate(self) -> None:
        """Record no more; a stop whose file is not written yet is written now."""
        if self._loop is None:
            return
        self._loop.stop()
        self._loop = None
        self._take()
        if self._stops.pending:
            self._save(self._stops.close())
        _done, late = wait(self._writes, WRITE_LIMIT)
        if late:
            self.get_logger().error(f"{len(late)} file(s) could not be written within {WRITE_LIMIT:g} s")

    def pulse(self) -> bool:
        """The thread comes round, while there is one."""
        loop = self._loop
        return loop is None or loop.alive(ALIVE)

    def _find_folder(self) -> Path:
        folder = Path(self.settings.folder).expanduser() if self.settings.folder else default_folder()
        if not (trouble := usable(folder)):
            return folder
        instead = fallback_folder()
        if worse := usable(instead, private=True):
            raise ReinsError(f"no file can be written to {folder} ({trouble}) nor to {instead} ({worse})")
        self.get_logger().warning(f"no file can be written to {folder} ({trouble}): they go to {instead} instead")
        return instead

    def _on_event(self, raw: RawMessage) -> None:
        """In the thread."""
        self._keep("safety/events", raw)
        event: ros.SafetyEvent = deserialize_message(raw.data, ros.SafetyEvent)
        self._stops.on_event(raw.stamp, event.kind, event.reason)

    def _on_safety_state(self, raw: RawMessage) -> None:
        """In the thread."""
        self._keep("safety/state", raw)
        state: ros.SafetyState = deserialize_message(raw.data, ros.SafetyState)
        self._stops.on_mode(raw.stamp, state.mode_name, state.reason)

    def _keep(self, name: str, raw: RawMessage) -> None:
        self._ring.add(self._inboxes[name].topic, raw.stamp, raw.sent, raw.data)

    def _tick(self, _due: float) -> None:
        """In the thread: take what has come, write what is due."""
        self._take()
        now = time.monotonic_ns()
        self._stops.look(now)
        if causes := self._stops.due(now):
            self._save(causes)

    def _take(self) -> None:
        handlers = {"safety/events": self._on_event, "safety/state": self._on_safety_state}
        for name, inbox in self._inboxes.items():
            for raw in inbox.drain():
                if handler := handlers.get(name):
                    handler(raw)
                    continue
                self._keep(name, raw)
                if name == "robot_state":
                    self._stops.on_robot(raw.stamp)

    def _save(self, causes: Sequence[Cause]) -> Future[Path]:
        """Hand a copy of what is in memory to the writing thread."""
        now = time.time()
        offset = time.time_ns() - time.monotonic_ns()
        case = self._case(causes, offset, now)
        future = self._pool.submit(self._write, case, self._ring.copy(), offset, now)
        future.add_done_callback(self._tell)
        self._writes = [write for write in self._writes if not write.done()] + [future]
        return future

    def _case(self, causes: Sequence[Cause], offset: int, now: float) -> Case:
        first = causes[0]
        return Case(
            kind=first.kind,
            reason=first.reason,
            stop=first.stamp + offset,
            mode=first.mode,
            causes=entries(causes, offset),
            robot=self._profile.name,
            joint_names=self._axes.names,
            velocity_limits=self._axes.limits,
            units=self._axes.units,
            namespace=self.get_namespace().strip("/"),
            span=self.settings.span,
            written=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
            versions=_versions(),
        )

    def _write(self, case: Case, messages: Any, offset: int, now: float) -> Path:
        """In the writing thread. A folder that is gone or full must not cost the record of a stop."""

        def write_in(folder: Path) -> Path:
            path = name_for(folder, case.kind, case.namespace, now)
            write(path, self._topics, messages, offset, case.as_metadata(), f"reins {__version__}")
            prune(folder, self.settings.keep)
            return path

        try:
            return write_in(self._folder)
        except ReinsError as error:
            instead = fallback_folder()
            if usable(instead, private=True):
                raise
            path = write_in(instead)
            self.get_logger().warning(f"{error}; make room there, or set another folder. It went to {path} instead")
            return path

    def _tell(self, future: "Future[Path]") -> None:
        """In the writing thread, which may be slow: whatever became of a file is logged."""
        log = self.get_logger()
        if fault := future.exception():
            said = str(fault) if isinstance(fault, ReinsError) else f"{type(fault).__name__}: {fault}"
            log.error(f"the last {self.settings.span:g} s are not on file: {said}")
        else:
            log.info(f"the last {self.settings.span:g} s are in {future.result()}")
        wake(self)

    async def _on_save(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """One at a time, for its callback group is mutually exclusive: who asks often waits."""
        loop = self._loop
        if loop is None:
            response.success, response.message = False, f"the black box is {self.state}, not active"
            return response
        try:
            future: Any = loop.call(self._save_now)  # not a future of rclpy, but as good for waiting
        except TimeoutError as error:
            response.success, response.message = False, str(error)
            return response
        if not await first_of(self, ASKED_LIMIT, future):
            response.success, response.message = False, f"not written within {ASKED_LIMIT:g} s; see the log"
        elif fault := future.exception():
            response.success, response.message = False, str(fault)
        else:
            response.success, response.message = True, str(future.result())
        return response

    def _save_now(self) -> Future[Path]:
        """In the thread: on request. An open case stays open and has its own file."""
        self._take()
        asked = Cause(time.monotonic_ns(), SAVED, "blackbox/save", "asked for; nothing stopped", self._stops.mode)
        return self._save([asked])


def _versions() -> dict[str, str]:
    found = {"reins": __version__, "Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:  # comes from the system, without Python metadata
            continue
    return found


def main() -> int:
    """Run the black box."""
    return run(BlackboxNode)
