"""Parameters of the perception node."""

from typing import Literal

from pydantic import Field

from reins.nodes.parameters import Settings
from reins.perception.geometric import GeometricSettings
from reins.perception.quality import PictureLimits
from reins.perception.vision_language.settings import TINY, VisionSettings


class PerceptionSettings(VisionSettings, Settings):
    """Parameters of the perception node."""

    robot: str = Field("franka", description="robot profile: a name, or the path of a YAML file")
    backend: Literal["hybrid", "geometric", "apriltag", "vlm", "tiny_vlm", "state"] = Field(
        "hybrid",
        description="hybrid: numbers from geometry, words from a vision-language model, if one is set; geometric: from "
        "colour and depth, what is on a table, or around a robot with legs; apriltag: what carries a tag, from colour "
        "alone; vlm: what such a model names, placed by depth; tiny_vlm: the same with our own small model; state: "
        "from the simulator's truth, for baselines",
    )
    tags: str = Field(
        "",
        description="which objects carry which tags: the path of a YAML file; with geometric and hybrid, "
        "these are found by it",
    )
    cameras: list[str] = Field(["overhead", "wrist"], description="cameras to look through")
    camera_clock: Literal["robot", "ros"] = Field(
        "robot",
        description="whose time the cameras' stamps are; robot: of the robot's states, as reins' own cameras have it; "
        "ros: ROS time, as other drivers have it",
    )
    rectified: bool = Field(
        False,
        description="whether the pictures have no distortion any more, as from image_proc; else what camera_info says "
        "of the lens is taken out of them",
    )
    rate: float = Field(5.0, gt=0.0, le=30.0, description="scenes per second at most [Hz]")
    image_age: float = Field(
        3.0, gt=0.0, le=60.0, description="a camera whose newest good picture is older stops the scenes [s]"
    )
    frozen_after: float = Field(
        0.0,
        ge=0.0,
        le=60.0,
        description="a camera of which no pixel changes for longer is frozen [s]; 0 for simulated ones, which have no "
        "noise and are found out when the arm moves before them",
    )
    black_level: int = Field(
        12,
        ge=0,
        le=255,
        description="a picture whose brightest channel is below this shows nothing: lens cap, dead sensor, no light; "
        "sensors are below 12 of 255 then, and a lit table is above 100; 0 for never",
    )
    overexposed_share: float = Field(
        0.5,
        gt=0.0,
        le=1.0,
        description="a picture of which more is white has lost its colours; good ones, white tables in bright light "
        "too, stay below 0.1; 1 for never",
    )
    blur_share: float = Field(
        0.0075,
        gt=0.0,
        le=1.0,
        description="a picture whose sharpest edges are blurred by more (standard deviation, share of its width) is "
        "out of focus, or its lens is dirty; good ones stay below 0.0025; 1 for never",
    )
    blocked_distance: float = Field(
        0.06,
        ge=0.0,
        le=1.0,
        description="what is nearer to a camera is right before its lens; the gripper of a wrist camera is farther "
        "[m]; 0 for never, nor is a picture without any edge blocked then",
    )
    blocked_share: float = Field(
        0.5,
        gt=0.0,
        le=1.0,
        description="a camera is blocked when more of what it measures is that near: a hand that passes covers less",
    )

    @property
    def door(self) -> str:
        """What runs the vision-language model."""
        return TINY if self.backend == "tiny_vlm" else self.vlm

    def geometric(self) -> GeometricSettings:
        """What of this the geometric backend needs."""
        limits = PictureLimits(
            self.black_level, self.overexposed_share, self.blur_share, self.blocked_distance, self.blocked_share
        )
        return GeometricSettings(frozen_after=self.frozen_after, limits=limits)
