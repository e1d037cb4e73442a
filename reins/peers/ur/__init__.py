"""A UR arm with a Robotiq gripper behind their own protocols: `process` starts it, `peer` is its loop.

`arm` is what its controller wants and `body` what becomes of it in our world. `program` stands in for the script that
the vendor's client uploads; `gripper`, `dashboard`, `scripts` and `rtde_server` (with `outputs`) are what clients
connect to, through `line_server`.
"""
