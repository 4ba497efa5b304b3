"""Adapters: one module per agent framework, each driving it in its exact profile.

A framework package is imported in its one adapter and nowhere else. Modules whose names start with
an underscore are shared by the adapters and import no framework.
"""
