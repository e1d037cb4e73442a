"""Scripted controllers: sequences of phases by differential inverse kinematics, the baseline beside policies.

`factory.ScriptedFactory` is the way in. May import contracts, hardware's interface and the rest of skills.
"""
