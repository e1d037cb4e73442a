"""`python -m reins.cli`: the same as `reins`."""

from reins.cli import main

main()
