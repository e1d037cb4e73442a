"""What every driver of an arm must do, as small named checks: `reins conformance` runs them, and so do the tests.

`suite` is the list and how it is run, `subject` the robot under test, `motion` how far it may move. The checks are in
`standing`, `moving`, `stopping` and `connecting`. They know drivers by the `Robot` protocol alone.
"""
