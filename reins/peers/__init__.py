"""Robots behind their vendors' own protocols, as processes of their own, with our simulated world around them.

`franka` speaks libfranka's protocol, `ur` the controller's, `go2` its DDS topics; a vendor's client library takes them
for the robot. `process` starts one and asks things of it, `requests` is the other end of its pipe, `robot` an arm's
real driver with a peer for its robot. Nodes, commands, benchmarks and tests use this room; no room below may.
"""
