"""What a run writes for TensorBoard: all of it over the policy steps that the agent has learned from."""

from pathlib import Path

from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat

from reins.training.rl.agent import DemoSac


class RunLogger(Logger):
    """Writes event files. SAC counts its own steps alone, lessons count what they show: neither becomes the axis.

    Args:
        folder: of the files.
        model: whose steps are the axis.
    """

    def __init__(self, folder: Path, model: DemoSac) -> None:
        super().__init__(str(folder), [TensorBoardOutputFormat(str(folder))])
        self._model = model

    def dump(self, step: int = 0) -> None:
        """Write what has been recorded since the last time; `step`, whoever says it, does not count."""
        super().dump(self._model.steps)
