"""Sets a checkout up and runs things in it: makes `.venv`, builds `ros2_ws`, mends both.

Standard library only, Python 3.10 to 3.13. Imports nothing of `reins`, and `reins` imports nothing of it.
"""
