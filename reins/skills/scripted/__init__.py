"""Scripted controllers: small sequences of phases by differential inverse kinematics, the baseline beside trained policies.

`factory.ScriptedFactory` is the way in. May import contracts, hardware's interface and the rest of skills.
"""
