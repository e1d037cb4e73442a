"""One skill at a time, stepped by the robot's states: the half of the skills node that knows no ROS.

Two threads meet here: the control thread brings states and ticks, the executor's thread brings jobs, cancels and the
safety monitor's stops. One lock keeps them apart.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, SkillCall
from reins.contracts.scene import Scene
from reins.skills.controller import Status
from reins.skills.runner import CommandT, Runner, StateT

STAND_LIMIT: Final = 2.0
"""How long it may take to stand after a skill ended [s, robot time]; braking from full speed takes half a second."""

SILENCE: Final = 0.3
"""A running skill ends when the robot's state is silent for this long [s]; safety has stopped the robot before."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """How a job ended; `reason` is empty on success, `duration` is robot time [s]."""

    success: bool
    reason: str
    duration: float


@dataclass(frozen=True, slots=True)
class Job:
    """One skill to run.

    Attributes:
        call: the skill and its arguments.
        constraints: rules of the task.
        on_done: told the result, once, from whichever thread ends the job.
    """

    call: SkillCall
    constraints: Sequence[Constraint]
    on_done: Callable[[JobResult], None]


@dataclass(slots=True)
class _Course:
    """How the current job goes; `verdict` is set once its controller has ended and the robot only has to stand."""

    began: float | None = None
    phase: str = "start"
    progress: float = 0.0
    cancel: str = ""
    verdict: tuple[bool, str] | None = None
    ended: float = 0.0


class SkillWorker(Generic[StateT, CommandT]):
    """Runs jobs.

    Args:
        runner: carries out skills.
        stands: whether a robot of this state stands still.
    """

    def __init__(self, runner: Runner[StateT, Any, CommandT], stands: Callable[[StateT], bool]) -> None:
        self._runner, self._stands = runner, stands
        self._lock = threading.Lock()
        self._job: Job | None = None
        self._course = _Course()
        self._scene = Scene(stamp=0.0, source="none")
        self._heard = 0.0
        self._stamp = 0.0

    @property
    def stamp(self) -> float:
        """Robot time of the newest state [s]; 0 before the first."""
        with self._lock:
            return self._stamp

    @property
    def call(self) -> SkillCall | None:
        """What runs now, or None."""
        with self._lock:
            return self._job.call if self._job else None

    def progress(self) -> tuple[str, float]:
        """Phase, and progress 0 … 1, of the current job."""
        with self._lock:
            return self._course.phase, self._course.progress

    def submit(self, job: Job, t: float) -> None:
        """Begin a job with the next state.

        Args:
            job: what to run.
            t: steady time [s].

        Raises:
            ReinsError: another one runs; names it.
        """
        with self._lock:
            if self._job is not None:
                raise ReinsError(f"{self._job.call} is running, and skills run one at a time; cancel it or wait")
            self._job, self._course, self._heard = job, _Course(), t

    def on_scene(self, scene: Scene) -> None:
        """Perception sees something new."""
        with self._lock:
            self._scene = scene

    def hold(self, held: bool) -> None:
        """Whether safety holds the robot because a person is too near; a skill waits meanwhile."""
        with self._lock:
            self._runner.hold(held)

    def cancel(self, reason: str) -> None:
        """Brake the current job to a stand; it then fails with `reason`. Without one, nothing happens."""
        with self._lock:
            self._course.cancel = self._course.cancel or reason
            self._runner.cancel(reason)

    def interrupt(self, reason: str) -> None:
        """Someone else has stopped or taken the robot: end the current job at once, without another command."""
        with self._lock:
            self._runner.drop()
            self._end(False, reason)

    def on_state(self, state: StateT, t: float) -> CommandT | None:
        """One control period; `t` is steady time [s]. The command to send, or None."""
        with self._lock:
            self._heard, self._stamp = t, state.stamp
            if self._job is None:
                return None
            if self._course.verdict is not None:
                self._stand(state, *self._course.verdict)
                return None
            try:
                return self._step(self._job, self._course, state)
            except ReinsError as error:
                self._runner.drop()
                self._end(False, str(error))
                return None

    def tick(self, t: float) -> None:
        """End the job if no state came for SILENCE; `t` is steady time [s]."""
        with self._lock:
            if self._job is not None and t - self._heard > SILENCE:
                self._runner.drop()
                self._end(False, f"the robot's state is silent for {1e3 * (t - self._heard):.0f} ms")

    def _step(self, job: Job, course: _Course, state: StateT) -> CommandT | None:
        if course.began is None:
            course.began = state.stamp
            if course.cancel:
                self._end(False, course.cancel)
                return None
            self._runner.start(job.call, job.constraints, state, self._scene)
            return None  # starting takes time: the first command is computed from a fresh state
        command, output = self._runner.step(state, self._scene)
        course.phase, course.progress = output.phase, output.progress
        if output.status is not Status.RUNNING:
            success = output.status is Status.SUCCEEDED
            course.verdict, course.ended = (success, "" if success else output.reason), state.stamp
        return command

    def _stand(self, state: StateT, success: bool, reason: str) -> None:
        if self._stands(state):
            self._end(success, reason)
        elif state.stamp - self._course.ended > STAND_LIMIT:
            self._end(False, f"{reason or 'done'}, but the robot still moves")

    def _end(self, success: bool, reason: str) -> None:
        job, self._job = self._job, None
        if job is not None:
            began = self._course.began
            job.on_done(JobResult(success, reason, 0.0 if began is None else self._stamp - began))
