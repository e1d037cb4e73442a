"""Controlled language for legged robots: what to walk to, which posture to take, what to keep away from.

`english` and `chinese` are tables; tokens, grammar and meaning are shared. `meaning.read` gives the symbolic planner
tasks, as `reins.planning.english` does for an arm. May import what the rest of planning may.
"""
