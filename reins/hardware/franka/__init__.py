"""The driver of Franka arms through libfranka (`franky-control`): `driver` is the `Robot`, `session` one connection.

`model` says whether the arm is the profile's, `library` imports franky when it is first needed, `gripper` drives the
hand, `words` turns what libfranka says into what a person can do. Only this package imports franky.
"""
