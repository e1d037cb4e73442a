"""How each camera is, and the vision-language model, on the topic `diagnostics`, where ROS tools look for it."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from reins.contracts.event import Severity
from reins.perception.health import CameraReport

EVERY: Final = 1.0
"""Time between two messages while nothing changes [s]: the rate that aggregators of diagnostics expect."""

LEVELS: Final = {
    Severity.INFO: DiagnosticStatus.OK,
    Severity.WARN: DiagnosticStatus.WARN,
    Severity.ERROR: DiagnosticStatus.ERROR,
}


class CameraDiagnostics:
    """Publishes one status a camera, at once when one changes and every second else.

    Args:
        node: the owner.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(DiagnosticArray, "diagnostics", 10)
        self._last = float("-inf")

    @property
    def is_due(self) -> bool:
        """Whether it is time for the next message."""
        return time.monotonic() - self._last >= EVERY

    def publish(
        self,
        reports: Iterable[CameraReport],
        blind: Mapping[str, str],
        stamps: Mapping[str, float],
        now: float,
        more: Sequence[DiagnosticStatus] = (),
    ) -> None:
        """Tell how the cameras are.

        Args:
            reports: one of each camera.
            blind: why cameras do not see for so long that there is no scene, by their names.
            stamps: robot time of each camera's newest good picture [s].
            now: robot time [s].
            more: of others that see.
        """
        self._last = time.monotonic()
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.status = [
            *(_status(report, blind.get(report.camera), stamps.get(report.camera), now) for report in reports),
            *more,
        ]
        self._publisher.publish(message)


def model_status(name: str, trouble: str, described: float, now: float) -> DiagnosticStatus:
    """How the vision-language model is.

    Args:
        name: what runs it.
        trouble: why it gave no description; empty if it did.
        described: robot time of the picture that the scene's words are from [s]; 0 without any.
        now: robot time [s].
    """
    status = DiagnosticStatus(
        name="perception: vision-language model",
        hardware_id=name,
        level=DiagnosticStatus.WARN if trouble else DiagnosticStatus.OK,
        message=trouble or ("describes" if described else "has described nothing yet"),
    )
    age = f"{now - described:.2f}" if described else "none"
    status.values = [KeyValue(key="age of the newest description [s]", value=age)]
    return status


def _status(report: CameraReport, blind: str | None, stamp: float | None, now: float) -> DiagnosticStatus:
    status = DiagnosticStatus(
        name=f"perception: camera {report.camera}",
        hardware_id=report.camera,
        level=LEVELS[report.severity] if blind is None else DiagnosticStatus.ERROR,
        message=report.text if blind is None or report.severity is Severity.ERROR else blind,
    )
    age = "none" if stamp is None else f"{now - stamp:.2f}"
    status.values = [
        KeyValue(key="kind", value=report.kind),
        KeyValue(key="age of the newest good picture [s]", value=age),
        KeyValue(key="pictures left out", value=str(report.left_out)),
    ]
    return status
