"""Skills whose contact-rich part a tool-twist policy carries out; the scripts bring the hand there and away.

What a policy did is measured by the gripper and by the scene, as what a script did is.
"""
