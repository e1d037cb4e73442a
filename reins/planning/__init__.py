"""Planning: an instruction and a scene become a verified plan, and the plan is carried out in a closed loop.

May import contracts, skills.registry and skills.library; knows no robot, no camera and no ROS.
"""
