"""What a UR controller and ur-rtde say, and what a person can do about it. Their own words stay in the sentence."""

from typing import Final

PROTECTIVE_STOP: Final = 3
"""The safety mode that can be unlocked. Source: RTDE guide, `safety_mode`."""

RUNNING: Final = 7
"""The robot mode in which the arm moves. Source: RTDE guide, `robot_mode`."""

POWER: Final = "switch the arm on and release its brakes on the pendant, then recover the robot"
WAIT: Final = "wait for it, then recover the robot"

ROBOT_MODES: Final = {
    -1: ("NO_CONTROLLER", "look at the control box"),
    0: ("DISCONNECTED", "look at the cable between the arm and the control box"),
    1: ("CONFIRM_SAFETY", "confirm the safety configuration on the pendant, then recover the robot"),
    2: ("BOOTING", WAIT),
    3: ("POWER_OFF", POWER),
    4: ("POWER_ON", POWER),
    5: ("IDLE", "its brakes are closed: release them on the pendant, then recover the robot"),
    6: ("BACKDRIVE", "somebody moves it by hand; start it on the pendant, then recover the robot"),
    8: ("UPDATING_FIRMWARE", WAIT),
}
"""Robot mode without motion → its name, and what to do. Source: RTDE guide, `robot_mode`."""

EMERGENCY: Final = "release the emergency stop and switch the arm on at the pendant, then recover the robot"
RESTART: Final = "look at the log on the pendant and restart the safety system there, then recover the robot"

SAFETY_MODES: Final = {
    3: ("PROTECTIVE_STOP", "look why on the pendant, then recover the robot, which unlocks it"),
    4: ("RECOVERY", "a joint is outside its safety limits: move it back on the pendant, then recover the robot"),
    5: ("SAFEGUARD_STOP", "close the safeguard (a gate, a light curtain), then recover the robot"),
    6: ("SYSTEM_EMERGENCY_STOP", EMERGENCY),
    7: ("ROBOT_EMERGENCY_STOP", EMERGENCY),
    8: ("VIOLATION", RESTART),
    9: ("FAULT", RESTART),
    10: ("VALIDATE_JOINT_ID", "let the pendant check the joints, then recover the robot"),
    11: ("UNDEFINED_SAFETY_MODE", RESTART),
    12: ("AUTOMATIC_MODE_SAFEGUARD_STOP", "close the safeguard of automatic mode, then recover the robot"),
    13: ("SYSTEM_THREE_POSITION_ENABLING_STOP", "hold the enabling device in its middle, then recover the robot"),
}
"""Safety mode without motion → its name, and what to do. Source: RTDE guide, `safety_mode`."""

PROGRAM_ENDED: Final = (
    "the control program has ended on the controller: stopped on the pendant, or commands came too seldom; "
    "recover the robot"
)

OTHER_PROGRAM: Final = (
    "another program runs on the controller; stop it on the pendant, or end the other client, then recover the robot"
)

NOT_STARTED: Final = (
    "the controller does not start the control program; is it in Remote Control, without a pop-up on the pendant?"
)

ADVICE: Final = (
    ("registers are already in use", "is another program connected? The arm takes commands from one at a time"),
    ("remote control", "switch the pendant from Local to Remote Control, upper right corner"),
    ("start control script", "is another program or a pop-up on the pendant in the way?"),
    ("start RTDE data", "is RTDE allowed under Settings, Security, Services on the pendant?"),
    ("connecting to UR dashboard", "is the address right, the controller on, and this computer in its network?"),
    ("Could not connect", "is the address right, and RTDE allowed under Settings, Security, Services on the pendant?"),
    ("Host not found", "is the name right, and known to this computer? An IP address will do"),
    ("Connection refused", "is the address right, and the service allowed under Settings, Security on the pendant?"),
)
"""Part of a message → what to do; the first that fits."""


def explain(said: str) -> str:
    """The words on one line, and the advice that goes with them."""
    words = " ".join(said.split()).removeprefix("ur_rtde: ").removeprefix("Error: ").rstrip(".!")
    return next((f"{words} ({advice})" for part, advice in ADVICE if part in words), words)


def trouble(robot_mode: int, safety_mode: int) -> str:
    """Why a robot in these modes does not move; empty if it can."""
    if safety_mode in SAFETY_MODES:
        name, advice = SAFETY_MODES[safety_mode]
        return f"the controller stopped the arm, and says {name}; {advice}"
    if robot_mode != RUNNING:
        name, advice = ROBOT_MODES.get(robot_mode, (f"mode {robot_mode}", POWER))
        return f"the arm cannot move, and its controller says {name}; {advice}"
    return ""
