"""The policy contract: everything that is needed to run a policy travels in its ONNX file and is checked on load."""

import json
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from typing_extensions import Self

from reins.contracts.errors import ReinsError

METADATA_KEY: Final = "reins.policy"
"""The entry of the ONNX file's metadata_props that holds the contract as JSON."""

SUPPORTED_OPSETS: Final = range(13, 22)
"""Versions of the default ONNX operator set that policies may use; every ONNX Runtime that reins supports runs them."""

JOINT_VELOCITY: Final = "joint_velocity"
TOOL_TWIST: Final = "tool_twist"
FOOT_OFFSET: Final = "foot_offset"
"""What an action may mean."""

TWIST_SIZE: Final = 5
"""Numbers in a tool twist with the gripper's opening."""

Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Name = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ObservationTerm(_Part):
    """One term of the observation: what is measured, scaled and clipped before the network sees it.

    Attributes:
        name: of the term, one of `reins.skills.observation`'s.
        size: how many numbers.
        scale: what each of them is multiplied by.
        clip: largest magnitude after scaling.
    """

    name: Name
    size: int = Field(gt=0)
    scale: Positive
    clip: Positive


class ActionSpec(_Part):
    """What the network's output means: clipped to [-1, 1], then multiplied by `scale`.

    Attributes:
        meaning: "joint_velocity": (n,) [rad/s], or "tool_twist": linear velocity of the tool (3,) [m/s] and yaw rate
            [rad/s] in the base frame, the hand kept pointing down, then the gripper's opening [m], closed where the
            number is not above 0; or "foot_offset": how far each foot is moved from where the trot puts it, forward,
            left and up (12,) [m].
        scale: one per number of the action.
    """

    meaning: Name
    scale: tuple[Positive, ...] = Field(min_length=1)


class StyleSpec(_Part):
    """How the style input, 0 (cautious) … 1 (fast), changes what a policy may command.

    Attributes:
        slowest: share of the action's speed scales that is left at style 0; in between it grows evenly to 1.
    """

    slowest: float = Field(gt=0.0, le=1.0)

    def share(self, style: float) -> float:
        """Share of the speed scales at `style`, 0 … 1."""
        return self.slowest + (1.0 - self.slowest) * style


class TrainingRecord(_Part):
    """How the policy came to be.

    Attributes:
        method: e.g. "DAgger from the differential inverse kinematics".
        environment: name of the training environment.
        version: of that environment; a policy is retrained when it changes.
        seed: of the training.
        samples: labelled states that it was trained on.
    """

    method: Name
    environment: Name
    version: Name
    seed: int
    samples: int = Field(ge=0)


class Measurement(_Part):
    """What the exported policy reached in a run that it was not trained in.

    Attributes:
        environment: where it was measured.
        episodes: how many.
        success_rate: share that succeeded.
        criterion: what counts as success.
        limit_violations: commands beyond a limit of the profile.
    """

    environment: Name
    episodes: int = Field(gt=0)
    success_rate: Share
    criterion: Name
    limit_violations: int = Field(ge=0)


class PolicyMetadata(_Part):
    """The contract of one policy.

    Attributes:
        name: of the policy, e.g. "reach".
        skills: names of the skills whose motions it carries out.
        robot: profile name.
        joint_names: (n,) in the order of every joint array.
        rate: rate at which it is asked [Hz]: the robot's command rate, or for tool twists a whole part of it.
        gains: what the loop around it assumes, by name.
        observation: terms in the order of the network's input.
        action: meaning and scale of its output.
        training: how it came to be.
        measured: what it reached; None only until it has been measured.
        opset: version of the default ONNX operator set.
        producer: program that wrote the file.
        style: how it is conditioned on a style; None where it is not.
        trot: settings of the trot whose feet it moves, by name; None where it moves none.
    """

    name: Name
    skills: tuple[Name, ...] = Field(min_length=1)
    robot: Name
    joint_names: tuple[Name, ...] = Field(min_length=1)
    rate: Positive
    gains: dict[str, Finite]
    observation: tuple[ObservationTerm, ...] = Field(min_length=1)
    action: ActionSpec
    training: TrainingRecord
    measured: Measurement | None
    opset: int
    producer: Name
    style: StyleSpec | None = None
    trot: dict[str, Finite | tuple[Finite, Finite]] | None = None

    @model_validator(mode="after")
    def _one_scale_per_number(self) -> Self:
        scales, joints = len(self.action.scale), len(self.joint_names)
        if self.action.meaning == TOOL_TWIST:
            if scales != TWIST_SIZE:
                raise ValueError(f"action has {scales} scales; a {TOOL_TWIST} has {TWIST_SIZE} numbers")
        elif scales != joints:
            raise ValueError(f"action has {scales} scales for {joints} joints")
        return self

    @model_validator(mode="after")
    def _feet_have_a_trot(self) -> Self:
        if (self.action.meaning == FOOT_OFFSET) is not (self.trot is not None):
            raise ValueError(f"a policy has the settings of a trot if, and only if, its action is a {FOOT_OFFSET}")
        return self

    @property
    def observation_size(self) -> int:
        """Numbers in the network's input."""
        return sum(term.size for term in self.observation)


def parse_metadata(text: str) -> PolicyMetadata:
    """Read the contract from its JSON.

    Raises:
        ReinsError: it is no valid contract; names the field.
    """
    try:
        return PolicyMetadata.model_validate(json.loads(text))
    except json.JSONDecodeError as error:
        raise ReinsError(f"its metadata is not JSON: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the metadata"
        raise ReinsError(f"its metadata is incomplete or wrong: {where}: {first['msg']}") from error
