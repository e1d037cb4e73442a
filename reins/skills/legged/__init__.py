"""Skills of legged robots: their registry, the way round what stands about, and the controllers that walk it.

May import what the rest of skills may. What comes out is a velocity of the body and a posture; legs are not known here.
"""
