"""The demo: start a graph, give it a task, measure what physics says, tell the story in a video and a report.

Sits on top: imports any room; talks to ROS through `reins.nodes.client` alone.
"""
