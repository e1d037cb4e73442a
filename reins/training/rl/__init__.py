"""Reinforcement learning of skills: SAC with hindsight and demonstrations, checkpoints, curves, export.

Needs the extra `train`. Only `reins.cli` and `reins.bench` may import it, late.
"""
