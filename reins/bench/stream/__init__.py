"""Continuous streaming to a real arm's driver: `suite` measures, `bare` is the vendor's library alone."""
