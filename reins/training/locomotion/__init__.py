"""Training of locomotion: many simulated robots side by side, as a Gymnasium environment, and PPO over them.

Importing `reins.training.locomotion.env` registers the environment.
"""
