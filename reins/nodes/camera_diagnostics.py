"""How each camera is, on the topic `diagnostics`, where ROS tools look for it."""

import time
from collections.abc import Iterable, Mapping
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
        self, reports: Iterable[CameraReport], blind: Mapping[str, str], stamps: Mapping[str, float], now: float
    ) -> None:
        """Tell how the cameras are.

        Args:
            reports: one of each camera.
            blind: why cameras do not see for so long that there is no scene, by their names.
            stamps: robot time of each camera's newest good picture [s].
            now: robot time [s].
        """
        self._last = time.monotonic()
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.status = [
            _status(report, blind.get(report.camera), stamps.get(report.camera), now) for report in reports
        ]
        self._publisher.publish(message)


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
