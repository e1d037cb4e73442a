"""Gymnasium goal environments of the skills, made from the same robot, observation and action as deployment.

Importing this registers them: `gymnasium.make("reins/Pick-v0")`. Needs the extra `train`.
"""

from reins.training.envs.register import register_all

register_all()
