"""Continuous streaming to a real arm's driver: `suite` measures, `use` finds when a setpoint is in use at a peer,
`bare` is the vendor's library alone."""
