"""Models that reins trained: the files, a card beside each, and the code that lists and checks them.

May import contracts only. How each file came to be is in `reins.training`.
"""
