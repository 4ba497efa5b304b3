"""Scenarios: one module each, with the function build(names)."""
