"""How legs carry a body: kinematics, gaits and policies, plain functions of what a real robot measures.

May import `contracts`, `hardware` and `models`. Simulators and drivers are given it; they do not import it.
"""
