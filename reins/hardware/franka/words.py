"""What libfranka says, and what a person can do about it. libfranka's own words always stay in the sentence."""

from typing import Final

ADVICE: Final = (
    ("FCI refused", "is FCI activated in Desk, the robot's mode Execution, and the address the robot's?"),
    ("Connection timeout", "is the address right, and the cable in the control box (not in the arm's base)?"),
    ("Connection error", "is the address right, and this computer in the robot's network?"),
    ("TCP connection got interrupted", "is another client connected? The robot has one at a time"),
    ("ncompatible", "install the franky-control whose libfranka is made for the robot's system version"),
    ("User stopped", "release the user stop, then recover the robot"),
    ("Reflex", "look why, then recover the robot"),
    ("reflex", "look why, then recover the robot"),
    ("UDP receive", "look at the cable and at the control box, then recover the robot"),
    ("TCP send", "look at the cable and at the control box, then recover the robot"),
    ("Net Exception", "look at the cable and at the control box, then recover the robot"),
    ("realtime", "install a kernel with PREEMPT_RT and allow this user real-time priority"),
)
"""Part of a message → what to do; the first that fits."""

MODES: Final = {
    "Reflex": "the robot stopped by itself, and says {errors}; look why, then recover the robot",
    "UserStopped": "the robot's user stop is pressed; release it, then recover the robot",
    "AutomaticErrorRecovery": "the robot is clearing its errors; wait for it, then recover the robot",
    "Guiding": "the robot is being guided by hand; let go of its buttons, then recover the robot",
    "Other": "the robot's brakes are locked, or it is not in mode Execution; see to it in Desk, then recover the robot",
}
"""Mode of the robot in which it takes no motion → why it does not move."""

UNSET: Final = (
    "the robot takes no payload and no collision thresholds in mode {mode}, and does not move without them; see in "
    "Desk what it does, then recover the robot"
)


def explain(said: str) -> str:
    """libfranka's words on one line, and the advice that goes with them."""
    words = " ".join(said.split()).replace("libfranka: ", "")
    return next((f"{words} ({advice})" for part, advice in ADVICE if part in words), words)


def trouble(mode: str, errors: str) -> str:
    """Why a robot in this mode does not move; empty if it can."""
    told = errors.strip("[]").replace('"', "") or "no error"
    return MODES[mode].format(errors=told) if mode in MODES else ""
