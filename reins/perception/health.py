"""What is wrong with each camera now: the newest trouble of each, and how many of its pictures were left out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reins.contracts.event import Severity
from reins.perception.image import Diagnostic


@dataclass(frozen=True, slots=True)
class CameraReport:
    """How one camera is.

    Attributes:
        camera: its name.
        severity: INFO where all is well, WARN where its pictures are used all the same, ERROR where they are left out.
        kind: as in Diagnostic; "ok" where all is well.
        text: one sentence.
        left_out: how many of its pictures were left out so far.
    """

    camera: str
    severity: Severity
    kind: str
    text: str
    left_out: int


class CameraHealth:
    """Remembers what was last wrong with each camera. A good picture mends it.

    Args:
        cameras: their names.
    """

    def __init__(self, cameras: Iterable[str]) -> None:
        self._reports = {
            name: CameraReport(name, Severity.WARN, "new", "has given no picture yet", 0) for name in cameras
        }

    @property
    def reports(self) -> list[CameraReport]:
        """One of each camera."""
        return list(self._reports.values())

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why the newest picture of a camera was left out, by its name, of those where it was."""
        return {
            name: report.text.removeprefix(f"camera '{name}': ")
            for name, report in self._reports.items()
            if report.severity is Severity.ERROR
        }

    def take(self, cameras: Iterable[str], notes: Iterable[Diagnostic]) -> bool:
        """A look was taken.

        Args:
            cameras: those whose pictures were looked at.
            notes: what was wrong with them.

        Returns:
            Whether a camera changed between well, doubtful and left out, or is left out for another kind of reason.
        """
        worst: dict[str, Diagnostic] = {}
        for note in notes:
            if note.camera not in worst or note.severity > worst[note.camera].severity:
                worst[note.camera] = note
        changed = [self._set(name, worst.get(name)) for name in dict.fromkeys([*cameras, *worst])]
        return any(changed)

    def _set(self, name: str, note: Diagnostic | None) -> bool:
        before = self._reports.get(name)
        if before is None:  # no camera that it watches
            return False
        if note is None:
            now = CameraReport(name, Severity.INFO, "ok", "sees", before.left_out)
        else:
            left_out = before.left_out + (note.severity is Severity.ERROR)
            now = CameraReport(name, note.severity, note.kind, note.text, left_out)
        self._reports[name] = now
        return (now.severity, now.kind) != (before.severity, before.kind)
