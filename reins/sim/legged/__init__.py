"""Simulated legged robots, made from their profile alone, on grounds read from YAML.

Whose legs do what is told to them by whoever makes them: `reins.locomotion` is not imported here.
"""
