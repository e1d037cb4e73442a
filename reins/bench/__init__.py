"""Benchmarks: task suites, metrics, reports. Sits on top of everything; nothing imports it but the command line."""
