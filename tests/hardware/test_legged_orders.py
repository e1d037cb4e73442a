"""Which commands the legs of a robot take up, whichever its driver."""

import numpy as np
import pytest

from reins.hardware.legged import AS_USUAL, Gait, Posture, SafeBodyCommand
from reins.hardware.legged_orders import BodyOrders
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import ROUNDING, StopCategory

GO2 = load_profile("go2", QuadrupedProfile)
SPEEDS = GO2.body.velocity
PERIOD = 1.0 / GO2.rates.command


def told(orders: BodyOrders, sequence: int, *velocity: float) -> str:
    """The fault after a command to walk at `velocity`."""
    orders.write(SafeBodyCommand(sequence, 0.0, PERIOD, np.array(velocity), Posture.STAND))
    return orders.fault


@pytest.mark.parametrize(
    "way, limit",
    [
        ((1.0, 0.0, 0.0), SPEEDS.forward),
        ((-1.0, 0.0, 0.0), SPEEDS.backward),
        ((0.0, 1.0, 0.0), SPEEDS.sideways),
        ((0.0, -1.0, 0.0), SPEEDS.sideways),
        ((0.0, 0.0, 1.0), SPEEDS.turn),
        ((0.0, 0.0, -1.0), SPEEDS.turn),
    ],
)
@pytest.mark.parametrize("excess, refused", [(-1e-6, False), (1e-6, True)])
def test_no_body_is_told_to_go_faster_than_it_may(
    way: tuple[float, ...], limit: float, excess: float, refused: bool
) -> None:
    orders = BodyOrders(GO2)
    fastest = ROUNDING * limit + excess
    assert bool(told(orders, 1, *(fastest * part for part in way))) is refused
    assert orders.velocity.any() is not np.bool_(refused)


@pytest.mark.parametrize("wrong, why", [(50.0, "50.00, 0.00, 0.00, is beyond the body's"), (np.nan, "not finite")])
def test_a_refused_velocity_brakes_what_walks_and_is_not_taken_up(wrong: float, why: str) -> None:
    orders = BodyOrders(GO2)
    assert not told(orders, 1, 0.5, 0.0, 0.1)
    assert why in told(orders, 2, wrong, 0.0, 0.0)
    assert orders.sequence == 1 and orders.velocity.tolist() == [0.5, 0.0, 0.1]
    orders.pass_time(0.1)
    assert orders.velocity[0] == pytest.approx(0.5 - 0.1 * GO2.body.acceleration.along)
    orders.pass_time(1.0)
    assert not orders.velocity.any() and orders.posture is Posture.SIT
    assert told(orders, 3, 0.5, 0.0, 0.0), "nothing moves before it has recovered"
    orders.recover()
    assert not told(orders, 4, 0.5, 0.0, 0.0)


def test_a_gait_is_taken_up_and_kept_while_it_brakes() -> None:
    orders, low = BodyOrders(GO2), Gait(-0.5, 0.25)
    assert orders.gait == AS_USUAL
    orders.write(SafeBodyCommand(1, 0.0, PERIOD, np.array([0.5, 0.0, 0.0]), Posture.STAND, low))
    orders.stop(StopCategory.CONTROLLED, "somebody pressed the button")
    orders.pass_time(PERIOD)
    assert orders.gait == low


@pytest.mark.parametrize(
    ("height", "style", "name"), [(1.01, 0.0, "height"), (0.0, -2.0, "style"), (0.0, np.nan, "style")]
)
def test_a_gait_that_there_is_not_stops_the_robot(height: float, style: float, name: str) -> None:
    orders = BodyOrders(GO2)
    orders.write(SafeBodyCommand(1, 0.0, PERIOD, np.zeros(3), Posture.STAND, Gait(height, style)))
    assert orders.fault.startswith(f"{name} of the gait is") and orders.gait == AS_USUAL
