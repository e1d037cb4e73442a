"""The driver of UR arms (e-Series) through RTDE (`ur-rtde`): `driver` is the `Robot`, `session` one connection.

`library` imports ur-rtde when it is first needed, `dashboard` asks the controller what it is and whether it can move,
`gripper` drives a Robotiq through its URCap, `words` turns modes and messages into what a person can do. Only this
package imports ur-rtde.
"""
