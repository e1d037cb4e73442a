"""Attacks on the safety filter and an independent judge of what it lets through; `suite.run_safety` runs them."""
