"""Skills: the registry that says what they are, the controllers that carry them out, the ONNX policy runtime.

May import contracts, hardware (interface), models. `reins.skills.registry` may be imported by planning too.
"""
