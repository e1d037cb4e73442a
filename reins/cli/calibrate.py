"""`reins calibrate`: the lens of a camera, and where it is mounted, from pictures of a printed board."""

import math
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from reins.cli.console import ExitCode, Namespace, err, needs_ros, out
from reins.cli.pictures import save
from reins.contracts.errors import ReinsError

if TYPE_CHECKING:
    from reins.calibration.folder import Pictures
    from reins.calibration.hand_eye import HandEye
    from reins.hardware.camera.intrinsics import Intrinsics

app = typer.Typer(no_args_is_help=True, help="Calibrate a camera: its lens, and where it is mounted.")

BELIEVABLE = 2.0
"""A calibration whose corners are farther off than this on average is wrong [pixels]: good ones are below 0.5."""

INCH = 0.0254
"""[m]"""


class Mount(str, Enum):
    """The words of `--mount`."""

    TOOL = "tool"
    BASE = "base"


class Clock(str, Enum):
    """The words of `--clock`."""

    ROBOT = "robot"
    ROS = "ros"


Folder = Annotated[Path, typer.Argument(help="Folder with board.yaml and the pictures.")]
Camera = Annotated[str, typer.Option(help="Name of the camera, as in its topics.")]
MostError = Annotated[
    float,
    typer.Option("--max-error", min=0.01, help="Write nothing if the corners are farther off than so many pixels."),
]


@app.command()
def board(
    description: Annotated[Path, typer.Argument(help="The board's YAML file.")],
    picture: Annotated[Path, typer.Option("--out", "-o", help="Where the picture to print goes (PNG).")] = Path(
        "board.png"
    ),
    dpi: Annotated[float, typer.Option(min=50.0, max=1200.0, help="Pixels per inch.")] = 300.0,
) -> None:
    """Draw a board to print; print it at 100 %, glue it on something flat, and measure it."""
    from reins.calibration.board import draw, load_board

    made = load_board(description)
    save(draw(made, dpi / INCH), picture)
    width, height = (side * 1e3 for side in made.size)
    out.print(f"{escape(str(picture))}: the board is {width:.1f} × {height:.1f} mm at {dpi:g} dpi", soft_wrap=True)


@app.command()
def record(
    folder: Annotated[Path, typer.Argument(help="Where the pictures go; is made.")],
    description: Annotated[Path, typer.Option("--board", help="The board's YAML file.")],
    camera: Camera = "wrist",
    robot: Annotated[str, typer.Option(help="Robot profile.")] = "franka",
    count: Annotated[int, typer.Option(min=5, max=200, help="How many pictures.")] = 20,
    minutes: Annotated[float, typer.Option(min=0.1, max=120.0, help="Stop after so long.")] = 15.0,
    clock: Annotated[
        Clock, typer.Option(help="Clock of the pictures' stamps: robot (reins' own cameras), or ros (other drivers).")
    ] = Clock.ROBOT,
    rectified: Annotated[
        bool, typer.Option("--rectified", help="The pictures have no distortion any more, as from image_proc.")
    ] = False,
    namespace: Namespace = "",
) -> None:
    """Take pictures of a board from a running graph while you move the arm: one wherever it stands still anew."""
    with needs_ros():
        from reins.nodes.calibration_client import Recording
        from reins.nodes.client import GraphClient
    from reins.calibration.board import BoardFinder, load_board
    from reins.calibration.folder import FolderWriter
    from reins.calibration.recording import Recorder
    from reins.hardware.profile import load_profile

    profile = load_profile(robot)
    recorder = Recorder(BoardFinder(load_board(description)), FolderWriter(folder, description))

    def tell(what: str) -> None:
        out.print(f"{recorder.count:3d} / {count}  {escape(what)}", soft_wrap=True)

    with GraphClient(namespace) as client:
        recording = Recording(client, profile, camera, clock.value, recorder, tell)
        try:
            recording.run(count, minutes * 60.0)
        except KeyboardInterrupt:
            out.print("stopped")
        has_lens = recorder.count > 0 and recording.write_intrinsics(folder, rectified)
    lens = "with its camera_info" if has_lens else "the camera says no calibration: `reins calibrate intrinsics`"
    out.print(f"{recorder.count} pictures in {escape(str(folder))}, {lens}", soft_wrap=True)


@app.command()
def intrinsics(
    folder: Folder,
    camera: Camera = "camera",
    result: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the calibration goes; intrinsics.yaml in the folder.")
    ] = None,
    max_error: MostError = BELIEVABLE,
) -> None:
    """Calibrate the lens: pinhole matrix and distortion, in the format of ROS."""
    from reins.calibration.folder import INTRINSICS, read_pictures
    from reins.calibration.lens import calibrate_lens

    pictures = read_pictures(folder)
    report = calibrate_lens(pictures.views, pictures.width, pictures.height, camera)
    matrix = report.intrinsics.matrix
    table = _table(pictures)
    table.add_row("reprojection", f"{report.rms:.3f} px RMS; worst {escape(report.worst[0])}: {report.worst[1]:.3f} px")
    table.add_row("focal length", f"{matrix[0, 0]:.2f}, {matrix[1, 1]:.2f} px, ± {report.focal_std:.2f} px")
    table.add_row("middle", f"{matrix[0, 2]:.2f}, {matrix[1, 2]:.2f} px")
    table.add_row("coverage", f"{report.cover:.0%} of the picture, tilted by up to {report.tilt:.0f}°")
    out.print(table)
    _check(report.rms, max_error)
    path = result or folder / INTRINSICS
    report.intrinsics.write(path)
    out.print(f"written to {escape(str(path))}", soft_wrap=True)


@app.command("hand-eye")
def hand_eye(
    folder: Folder,
    camera: Camera = "wrist",
    mount: Annotated[
        Mount,
        typer.Option(help="tool: the hand carries the camera; base: it is fixed, and the hand carries the board."),
    ] = Mount.TOOL,
    lens: Annotated[
        Path | None, typer.Option("--intrinsics", help="The camera's calibration; intrinsics.yaml in the folder.")
    ] = None,
    result: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the mount goes; mount.yaml in the folder.")
    ] = None,
    max_error: MostError = BELIEVABLE,
) -> None:
    """Find where the camera is mounted, from pictures and poses; says how sure that is."""
    import yaml

    from reins.calibration.folder import INTRINSICS, read_pictures
    from reins.hardware.camera.intrinsics import load_intrinsics
    from reins.hardware.camera.mount import mount_from_pose

    pictures, calibration = read_pictures(folder), load_intrinsics(lens or folder / INTRINSICS)
    found = _solve(folder, pictures, calibration, mount)
    _show(found, pictures)
    _check(found.rms, max_error)
    document = {"cameras": [mount_from_pose(camera, mount.value, found.camera).model_dump(mode="json")]}
    text = yaml.safe_dump(document, sort_keys=False, default_flow_style=None)
    path = result or folder / "mount.yaml"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReinsError(f"the mount cannot be written to '{path}': {error.strerror}") from error
    out.print(f"written to {escape(str(path))}; these lines belong into the robot's profile:", soft_wrap=True)
    out.print(escape(text), soft_wrap=True)


def _solve(folder: Path, pictures: "Pictures", calibration: "Intrinsics", mount: Mount) -> "HandEye":
    from reins.calibration.folder import POSES, read_poses
    from reins.calibration.hand_eye import PosedView, calibrate_hand_eye

    calibration.check_size(pictures.width, pictures.height)
    poses = read_poses(folder)
    if missing := [view.name for view in pictures.views if view.name not in poses]:
        raise ReinsError(f"'{folder / POSES}' has no pose of {', '.join(missing)}")
    views = [PosedView(view, poses[view.name]) for view in pictures.views]
    return calibrate_hand_eye(views, calibration, in_hand=mount is Mount.TOOL)


def _show(found: "HandEye", pictures: "Pictures") -> None:
    table = _table(pictures)
    table.add_row("reprojection", f"{found.rms:.3f} px RMS; worst {escape(found.worst[0])}: {found.worst[1]:.3f} px")
    table.add_row(
        "leaving one out",
        f"moves it by up to {found.position_spread * 1e3:.2f} mm and {math.degrees(found.turn_spread):.3f}°",
    )
    x, y, z = found.camera[:3, 3] * 1e3
    table.add_row("camera at", f"{x:.1f}, {y:.1f}, {z:.1f} mm")
    out.print(table)


def _table(pictures: "Pictures") -> Table:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    without = f"; not seen in {escape(', '.join(pictures.without_board))}" if pictures.without_board else ""
    table.add_row("board", f"seen in {len(pictures.views)} pictures{without}")
    return table


def _check(rms: float, limit: float) -> None:
    """End the command if a calibration is not to be believed."""
    if rms <= limit:
        return
    err.print(
        f"[bold red]not written:[/] corners are {rms:.1f} px off, and {limit:g} px is the most; do board, poses and "
        "intrinsics belong to these pictures? Leave out the worst picture, and look whether it gets better",
        soft_wrap=True,
    )
    raise typer.Exit(int(ExitCode.FAILED))
