"""How a model learned, and whether it is right as often as it says it is, in one picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reins.training.perception.scores import reliability


def plot(
    path: Path, curve: Sequence[Mapping[str, Any]], looks: Mapping[str, str], certain: Sequence[tuple[float, bool]]
) -> None:
    """Draw the objects found over gradient steps, and the share that is right over what the model says of it.

    Args:
        path: of the picture.
        curve: a run's evaluations.
        looks: what each kind of picture is called, by its name.
        certain: how sure the model was of each thing that it said, and whether that was right.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.0), dpi=110, layout="constrained")
    learning, trust = figure.subplots(1, 2, width_ratios=(3, 2))
    steps = [point["step"] for point in curve]
    for name, title in looks.items():
        learning.plot(steps, [point[name]["object_f1"] for point in curve], marker=".", label=title)
    learning.set(title="Objects while it trains", xlabel="gradient step", ylabel="F1", ylim=(-0.02, 1.02))
    learning.legend(loc="lower right", fontsize="small")
    trust.plot((0, 1), (0, 1), color="grey", linewidth=0.8)
    if bins := reliability(certain):
        said, right, number = zip(*bins, strict=True)
        most = max(number)
        trust.scatter(said, right, s=[20 + 200 * count / most for count in number], alpha=0.7)
    trust.set(title="Certainty", xlabel="it says", ylabel="it is right", xlim=(0, 1.02), ylim=(-0.02, 1.05))
    for axes in (learning, trust):
        axes.grid(alpha=0.3)
    figure.savefig(path)
