"""`mj_step` and nothing else, with noted actuator inputs: what a loop around MuJoCo is measured against."""

import time

import mujoco
import numpy as np
from numpy.typing import NDArray


class BareLoop:
    """Repeats a motion from where a simulation stands when this is made.

    Args:
        model, live: the simulation.
        period: time between two inputs [s].
    """

    def __init__(self, model: mujoco.MjModel, live: mujoco.MjData, period: float) -> None:
        self._model, self._live = model, live
        self._start, self._data = mujoco.MjData(model), mujoco.MjData(model)
        mujoco.mj_copyData(self._start, model, live)
        self._inputs: list[NDArray[np.float64]] = []
        self._steps: int = round(period / model.opt.timestep)

    @property
    def steps(self) -> int:
        """Physics steps of the whole motion."""
        return len(self._inputs) * self._steps

    def rewind(self) -> None:
        """Put the simulation back to where the motion begins."""
        mujoco.mj_copyData(self._live, self._model, self._start)

    def note(self) -> None:
        """Note the actuator inputs of the next period."""
        self._inputs.append(np.concatenate([self._live.act, self._live.ctrl]))

    def times(self) -> NDArray[np.float64]:
        """(periods,) wall time of every period of the motion [s]."""
        model, data, na, clock = self._model, self._data, self._model.na, time.perf_counter
        mujoco.mj_copyData(data, model, self._start)
        taken = []
        for entry in self._inputs:
            begin = clock()
            data.act[:] = entry[:na]
            data.ctrl[:] = entry[na:]
            for _ in range(self._steps):
                mujoco.mj_step(model, data)
            taken.append(clock() - begin)
        return np.array(taken)
