"""The driver of Unitree's Go2 over the DDS topics of its SDK2: `driver` is the `LeggedRobot`, `link` one connection.

`library` imports the SDK and Cyclone DDS when they are first needed, `messages` builds rt/lowcmd and reads rt/lowstate,
`intake` says which states are good, `guard` who else may command the motors. Only this package imports the SDK.
"""
