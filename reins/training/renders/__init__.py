"""Random pictures of tables with their truth, to measure perception with and to train image models on.

`generate.Renders` is the way in. Imports sim, skills (inverse kinematics), perception's image type and contracts.
"""
