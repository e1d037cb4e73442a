"""Simulated robots and worlds: physics by MuJoCo or PyBullet, cameras, true state, predicates and random tasks.

May import contracts and the robot interface (`hardware.robot`, `profile`, `kinematics`, `host`), never a real driver.
"""
