"""What drivers of real arms have in common: setpoints that stream through a thread which speaks with the robot.

`session` is what a connection gives, one implementation per make of robot; `loop` is the thread's cycle over it,
`exchange` what both threads share, `robot` the `Robot` that the control thread calls, `hand` a gripper in a thread of
its own.
"""
