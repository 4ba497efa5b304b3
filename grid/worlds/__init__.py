"""Worlds: one module each, with its tools as pure functions, as the constant TOOLS."""
