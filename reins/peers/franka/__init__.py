"""A Franka robot behind libfranka's protocol: `process` starts it, `peer` is its loop, `server` its side of the
protocol, `arm` its controllers over our model. Only this package imports franky-sim, which comes with franky-control.
"""
