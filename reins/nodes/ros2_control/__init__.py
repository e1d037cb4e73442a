"""The driver of arms behind ros2_control, over the topics of its controllers: any arm that ros2_control drives works.

`driver` puts it together, `session` is the arm, `gripper` the gripper. `link` joins the ROS graph, `controller` and
`manager` ask what the controllers are, `commanders` looks who else commands them, `joint_states` reads, and `setpoints`
writes what they take. It is among the nodes because it speaks ROS; to the robot node it is a driver like any other.
"""
