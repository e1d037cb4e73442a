"""Controlled English for legged robots: what to walk to, which posture to take, what to keep away from.

May import what the rest of planning may. `meaning.read` gives the symbolic planner tasks, as `english` does for an arm.
"""
