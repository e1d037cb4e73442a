"""How every file in `reins.models` is made; needs the extra `train`.

Sits on top: may import everything but nodes, and nothing imports it but the command line.
"""
