"""The ROS 2 nodes: parameters and wiring around the cores. The only room that imports rclpy; nothing imports it but
`reins.cli` and `reins.bench.latency`.
"""
