"""Plain data that the rooms pass to each other: scenes, plans, skills, constraints, events.

Every room may import this one; it imports nothing of reins.
"""
