"""A window on a simulated world: shows the robot node's world state in MuJoCo's own viewer. Needs a display."""

import os
from typing import Any

import mujoco
from pydantic import Field
from reins_msgs import msg as ros

from reins.contracts.errors import ReinsError
from reins.hardware.profile import load_profile
from reins.nodes.base import ManagedNode
from reins.nodes.control_loop import Inbox
from reins.nodes.parameters import Settings
from reins.nodes.qos import CONTROL
from reins.nodes.running import run
from reins.sim.model import build_model
from reins.sim.world import load_world


class SimViewerSettings(Settings):
    """Parameters of the viewer."""

    robot: str = Field("franka", description="robot profile, the same as the robot node's")
    world: str = Field("tabletop", description="world, the same as the robot node's")
    rate: float = Field(20.0, gt=0.0, le=60.0, description="how often the window is drawn at most [Hz]")


class SimViewerNode(ManagedNode[SimViewerSettings]):
    """Draws what it hears; nothing depends on it."""

    niceness = 10

    def __init__(self) -> None:
        super().__init__("sim_viewer", SimViewerSettings)
        self._window: Any = None

    def configure(self) -> None:
        """Build the world's model once more and open the window."""
        if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            raise ReinsError("there is no display (DISPLAY is not set); start with headless:=true")
        import mujoco.viewer  # opens graphics libraries: only where there is a display

        model = build_model(load_profile(self.settings.robot), load_world(self.settings.world), pretty=True)
        self._data = mujoco.MjData(model)
        self._truth = Inbox(self, ros.WorldState, "sim/world_state", CONTROL)
        self._window = mujoco.viewer.launch_passive(model, self._data, show_left_ui=False, show_right_ui=False)

    def activate(self) -> None:
        """Start drawing."""
        self._timer = self.create_timer(1.0 / self.settings.rate, self._draw)

    def deactivate(self) -> None:
        """Stop drawing."""
        self.destroy_timer(self._timer)

    def cleanup(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def _draw(self) -> None:
        messages = self._truth.drain()
        if not messages or not self._window.is_running():
            return
        with self._window.lock():
            self._data.qpos[:] = messages[-1].qpos
            mujoco.mj_forward(self._window.m, self._data)
        self._window.sync()


def main() -> int:
    """Run the viewer."""
    return run(SimViewerNode)
