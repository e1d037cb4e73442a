"""What a task was, step by step: written as JSON Lines while it runs, read back, and shown as a page.

May import contracts; the executor and the planners write here.
"""
