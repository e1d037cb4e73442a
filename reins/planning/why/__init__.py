"""“Why did you do that?”, answered from the trace of a task: what was asked, planned, seen, and what failed.

Reads traces and the skill registry only; nothing here moves anything.
"""
