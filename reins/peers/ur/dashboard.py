"""The dashboard server of the UR peer. Source: Universal Robots, "Dashboard Server e-Series" (commands and replies)."""

from collections.abc import Callable, Collection

from reins.peers.ur.arm import Arm, RobotMode, SafetyMode
from reins.peers.ur.program import Program

GREETING = "Connected: Universal Robots Dashboard Server\n"
TOO_SOON = (
    "Cannot unlock protective stop until 5s after occurrence. Always inspect cause of protective stop before unlocking"
)


class Dashboard:
    """Answers one line with one line.

    Args:
        arm: the arm.
        program: what runs on the controller.
        model: as it names itself.
        traits: "local" for a robot that is not in remote control, "ur10" for a larger one, "old" for old software.
    """

    def __init__(self, arm: Arm, program: Program, model: str, traits: Collection[str]) -> None:
        self._arm = arm
        self._program = program
        self.remote = "local" not in traits
        self._model = "UR10" if "ur10" in traits else model
        self._version = "3.15.8.106339" if "old" in traits else "5.11.1.108318"
        self._commands: dict[str, Callable[[], str]] = {
            "robotmode": lambda: f"Robotmode: {arm.mode.name}",
            "safetymode": lambda: f"Safetymode: {arm.safety.name}",
            "safetystatus": lambda: f"Safetystatus: {arm.safety.name}",
            "is in remote control": lambda: str(self.remote).lower(),
            "polyscopeversion": lambda: f"URSoftware {self._version} (Sep 28 2021)",
            "get robot model": lambda: self._model,
            "get serial number": lambda: "20215500001",
            "programstate": lambda: "PLAYING rtde_control" if program.running else "STOPPED rtde_control",
            "running": lambda: f"Program running: {str(program.running).lower()}",
            "stop": self._stop,
            "unlock protective stop": lambda: "Protective stop releasing" if arm.unlock() else TOO_SOON,
            "close safety popup": lambda: "closing safety popup",
            "close popup": lambda: "closing popup",
            "power on": lambda: self._enter(RobotMode.IDLE, "Powering on"),
            "brake release": lambda: self._enter(RobotMode.RUNNING, "Brake releasing"),
            "power off": lambda: self._enter(RobotMode.POWER_OFF, "Powering off"),
            "restart safety": self._restart_safety,
            "quit": lambda: "Disconnected",
        }

    def answer(self, line: str) -> str:
        """The reply."""
        command = self._commands.get(line.lower())
        return (command() if command else f"could not understand: '{line}'") + "\n"

    def _stop(self) -> str:
        self._program.end()
        return "Stopped"

    def _enter(self, mode: RobotMode, words: str) -> str:
        self._arm.mode = mode
        return words

    def _restart_safety(self) -> str:
        self._arm.safety, self._arm.mode = SafetyMode.NORMAL, RobotMode.POWER_OFF
        return "Restarting safety"
