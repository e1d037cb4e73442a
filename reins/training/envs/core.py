"""SkillEnv: one skill on one simulated arm as a Gymnasium goal environment, at the policy's rate and with its delay."""

from collections import deque
from math import dist
from typing import Any, Final

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import look_up
from reins.hardware.kinematics import Kinematics, ToolPose
from reins.hardware.profile import load_profile
from reins.hardware.robot import FloatArray, SafeCommand
from reins.models.metadata import TOOL_TWIST, TWIST_SIZE, ActionSpec, ObservationTerm, StyleSpec
from reins.skills.action import TwistDecoder, clipped
from reins.skills.observation import ObservationBuilder, PolicyInput
from reins.training.envs.randomisation import Draw, Randomisation, load_randomisation
from reins.training.envs.stage import make_stage
from reins.training.envs.tasks import FREE, SUBJECT, TASKS, Setup, StartFinder, Task, distance
from reins.training.envs.view import ObjectCamera

Observation = dict[str, NDArray[Any]]

HOLD: Final = 2
"""Commands for which one action holds: 50 Hz over the robot's 100 Hz."""

ACTION: Final = ActionSpec(meaning=TOOL_TWIST, scale=(0.25, 0.25, 0.25, 1.5, 0.08))
"""What an action of 1 means at style 1: [m/s], [rad/s], [m]."""

STYLE: Final = StyleSpec(slowest=0.5)
"""A cautious policy moves half as fast as a fast one."""

LASTING: Final = 10
"""Policy steps for which success must last; the episode ends then."""

GOAL_BOUND: Final = 2.0
"""Goals and observations are this large at most [m]."""

_ARM: Final = (("tool_position", 3), ("tool_velocity", 3), ("tool_yaw", 2), ("style", 1))
"""Not the last action: who imitates and sees it learns to repeat it."""

_OBJECT: Final = (
    ("gripper_width", 1),
    ("gripper_holding", 1),
    ("object_offset", 3),
    ("object_yaw", 2),
    ("object_size", 3),
)


def terms_of(task: str | type[Task]) -> tuple[ObservationTerm, ...]:
    """What a task's policy sees beside its goal; the tool's position comes first."""
    kind = look_up("task", task, TASKS) if isinstance(task, str) else task
    parts = _ARM + (_OBJECT if kind.looks else ())
    return tuple(ObservationTerm(name=name, size=size, scale=1.0, clip=GOAL_BOUND) for name, size in parts)


class SkillEnv(gym.Env[Observation, NDArray[np.float32]]):
    """One skill as a goal environment.

    Observations are dictionaries: "observation", the terms of `terms_of` as a deployed policy sees them; "desired_goal"
    and "achieved_goal" (k,), positions in the base frame [m], the achieved one as it truly is. Actions (5,) in [-1, 1]
    are tool twists (`ACTION`). The reward is 0 where the goal is achieved within the task's tolerance, else -1. An
    episode is cut once success has lasted, at the task's horizon, and at a fault of the arm, which "fault" of a step's
    information then names; it is empty otherwise.

    Args:
        task: name of the task.
        robot: profile name.
        sim: simulator, "mujoco" or "pybullet".
        randomisation: name or file of the domain randomisation.
        style: fixed style, 0 … 1; drawn for every episode by default.

    Raises:
        UnknownName: no such task, robot, simulator or randomisation; lists those that exist.
    """

    def __init__(
        self,
        task: str,
        robot: str = "franka",
        sim: str = "mujoco",
        randomisation: str = "training",
        style: float | None = None,
    ) -> None:
        kind = look_up("task", task, TASKS)
        self.profile = load_profile(robot)
        self.stage = make_stage(sim, self.profile, kind.world)
        self._nominal = {name: np.array(item.size) for name, item in self.stage.world.by_id.items()}
        self.task = kind(self._nominal)
        self.kinematics = Kinematics(self.profile)
        self._decoder = TwistDecoder(ACTION, self.profile)
        self._starts = StartFinder(self.profile)
        self._looks = kind.looks
        terms = terms_of(kind)
        self._builder = ObservationBuilder(terms, len(self.profile.joints), TWIST_SIZE)
        self._randomisation: Randomisation = load_randomisation(randomisation)
        self._fixed_style = style
        self._period = 1.0 / self.profile.rates.command
        self._periods = np.full(len(self.profile.joints), self._period)
        goal = gym.spaces.Box(-GOAL_BOUND, GOAL_BOUND, (kind.goal_size,), np.float64)
        size = sum(term.size for term in terms)
        spaces: Any = gym.spaces.Dict(
            observation=gym.spaces.Box(-GOAL_BOUND, GOAL_BOUND, (size,), np.float32),
            achieved_goal=goal,
            desired_goal=goal,
        )
        self.observation_space = spaces
        self.action_space = gym.spaces.Box(-1.0, 1.0, (TWIST_SIZE,), np.float32)
        self._excess: list[FloatArray] | None = None
        self.metadata = {"render_modes": [], "render_fps": round(1.0 / (HOLD * self._period))}
        self._sequence = 0
        self._reference: FloatArray = np.array(self.profile.home)
        self.setup: Setup
        self.style = 1.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; the same seed begins the same one."""
        super().reset(seed=seed)
        random = self.np_random
        draw = self._randomisation.draw(random)
        sizes = self.stage.apply(draw, self._nominal)
        self.task = type(self.task)(sizes)
        self.setup, joints = self._starts.find(self.task, random)
        self.style = float(random.uniform()) if self._fixed_style is None else self._fixed_style
        self._share = STYLE.share(self.style)
        self._begin(draw, joints, random)
        self._lasting = self._steps = 0
        return self._observe(), {}

    def step(self, action: NDArray[np.float32]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """One period of the policy."""
        self.aim(action)
        for _ in range(HOLD):
            self.command()
            self.advance()
        return self.look()

    def aim(self, action: NDArray[np.float32]) -> None:
        """First part of a step: decode the action."""
        state, tool = self.state, self.tool
        self._last = asked = clipped(action.tolist())
        self._decoder.aim(
            asked, self._share, state.position, state.reference, tool.position, tool.rotation, self._jacobian
        )
        self._gripper = self._decoder.gripper(asked)

    def command(self) -> None:
        """HOLD times in a step: send what is asked for; with its delay, something comes out at the robot."""
        velocity, waiting = self._decoder.step(), self._queue
        if self._excess is not None:
            self._excess.append(velocity)
        self._sequence += 1
        waiting.append(
            SafeCommand(self._sequence, self.state.stamp, self._period, self._reference, velocity, self._gripper)
        )
        self._reference = self._reference + self._periods * velocity
        self.stage.write(waiting.popleft())

    def advance(self) -> None:
        """After every command: let its period pass."""
        self.stage.step(self._period)

    def look(self) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Last part of a step: what has come of it; see `step`."""
        observation = self._observe()
        success = dist(observation["achieved_goal"].tolist(), self._goal) <= self.task.tolerance
        self._lasting = self._lasting + 1 if success else 0
        self._steps += 1
        cut = self._lasting >= LASTING or self._steps >= self.task.horizon or bool(self.state.fault)
        return observation, 0.0 if success else -1.0, False, cut, {"is_success": success, "fault": self.state.fault}

    def compute_reward(self, achieved_goal: FloatArray, desired_goal: FloatArray, info: object) -> FloatArray | float:
        """Reward of goals (…, k), without looking at anything else, so that hindsight can change them."""
        far = distance(achieved_goal, desired_goal) > self.task.tolerance
        reward: FloatArray | float = -np.asarray(far, dtype=np.float64)
        return reward if np.ndim(reward) else float(reward)

    def close(self) -> None:
        """Release the simulator."""
        self.stage.close()

    @property
    def view_input(self) -> PolicyInput:
        """What the observation was made from: for demonstrators and for policies that run beside the environment."""
        return self._input

    @property
    def share(self) -> float:
        """Share of the speed scales that this episode's style allows."""
        return self._share

    def audit(self) -> int:
        """Commands beyond a joint's speed or acceleration limit since the last call; the first call begins to count."""
        velocities, self._excess = self._excess, []
        if not velocities:
            return 0
        speeds = np.array(velocities)
        slack = 1.0 + 1e-9
        fast = np.any(np.abs(speeds) > slack * self.profile.velocity, axis=1)
        change = np.abs(np.diff(speeds, axis=0, prepend=0.0))
        return int(np.sum(fast | np.any(change > slack * self.profile.acceleration * self._period, axis=1)))

    def _begin(self, draw: Draw, joints: FloatArray, random: np.random.Generator) -> None:
        setup, stage = self.setup, self.stage
        stage.arrange(joints, setup.width, setup.objects)
        self._reference = joints
        self._sequence = 0
        still = np.zeros(len(joints))
        if setup.grasped:
            self._grasp(still)
        self._decoder.reset()
        # A command that is computed from the state of one period acts in the next, or later still.
        waiting = [SafeCommand(0, 0.0, self._period, joints, still) for _ in range(1 + draw.latency)]
        self._queue: deque[SafeCommand] = deque(waiting)
        self._noise = draw.noise
        self._camera = ObjectCamera(random, draw.view, self.task.size())
        self._goal, self._place = setup.goal.tolist(), setup.goal[:3]
        self._last = np.zeros(TWIST_SIZE)
        self._last[4] = -1.0 if setup.width == 0.0 or setup.grasped else setup.width / ACTION.scale[4]
        self._began = stage.read().stamp

    def _grasp(self, still: FloatArray) -> None:
        """Let the fingers close on what is between them."""
        close = self._decoder.gripper(-np.ones(TWIST_SIZE))
        for _ in range(30):
            self.stage.write(SafeCommand(0, 0.0, self._period, self._reference, still, close))
            self.stage.step(self._period)
            if self.stage.read().gripper_holding:
                return

    def _observe(self) -> Observation:
        """Read the robot, look at the object, build the observation."""
        self.state = state = self.stage.read()
        self.tool, self._jacobian = tool, jacobian = self.kinematics.tool_jacobian(state.position)
        subject = self.stage.pose(SUBJECT)
        view = (
            self._camera.look(state.stamp - self._began, subject, tool, state.gripper_holding) if self._looks else None
        )
        measured, velocity = tool, jacobian[:3].dot(state.velocity)
        if self._noise > 0.0:
            errors = self.np_random.normal(0.0, self._noise, 6)
            measured, velocity = ToolPose(tool.position + errors[:3], tool.rotation), velocity + errors[3:]
        goal = ToolPose(self._place, tool.rotation)
        self._input = PolicyInput(state, measured, goal, self._last, velocity, view, self.style)
        return {
            "observation": self._builder.build(self._input)[0].copy(),
            "achieved_goal": self.task.achieved(tool.position, subject[:3].copy()),
            "desired_goal": self.setup.goal.copy(),
        }


def goal_flag(task: str) -> tuple[float, ...]:
    """The numbers of a deployed goal beyond its position: that the object is let go, where a task asks for it."""
    return (FREE,) * (look_up("task", task, TASKS).goal_size - 3)
