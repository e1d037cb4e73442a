"""What every skill test needs."""

from hypothesis import settings

settings.register_profile("reins-skills", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("reins-skills")
