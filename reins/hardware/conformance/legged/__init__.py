"""What every driver of a legged robot must do: the checks of an arm that make sense for it, and those of its legs.

`suite` is the list, `subject` the robot under test. The checks are in `lying`, `walking` and `stopping`.
"""
