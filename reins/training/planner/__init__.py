"""How the small language model of models/planner/ is made: made-up scenes and tasks, sentences for them, and a network.

Tasks come first and sentences after them: what a sentence means is never guessed. Benchmarks use the same tasks.
"""
