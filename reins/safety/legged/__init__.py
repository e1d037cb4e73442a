"""Safety of legged robots: limits, hazards and the filter of body velocities. Passive cores; no ROS, no clock.

May import what the rest of safety may. `LeggedFilter` decides; `HazardFinder` says what speaks against walking, in the
form that the monitor's own faults have.
"""
