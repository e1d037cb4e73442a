"""System identification: makes one engine's arm move as another's, or as a recorded one's.

Writes `reins/sim/matchings`, which the simulated drivers read.
"""
