"""Perception of a robot that walks: pictures of the camera in its head to what stands about on the ground.

Imported by `reins.perception.factory` alone.
"""
