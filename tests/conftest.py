"""What holds for all tests."""

from hypothesis import settings

settings.register_profile(
    "reins",
    deadline=None,  # what is slow on a busy machine is a benchmark's to say
    derandomize=True,  # a test that fails fails again
    max_examples=50,
)
settings.load_profile("reins")
