"""A Unitree Go2 behind the DDS topics of its SDK2, with MuJoCo under its feet, as the vendor's own simulator has it.

`robot` is the process, `motors` the physics behind rt/lowcmd and rt/lowstate, `topics` the DDS side, `faults` what can
be asked to go wrong, `process` starts it and asks. It is written from the SDK's messages, and shares no code with the
driver.
"""
