"""`reins bench perception`: scenes from random pictures against their truth, and what a look costs."""
