"""Scripted personas: one module each, with the constant PERSONA.

Instruments with known faults, never a stand-in for a result about a real model.
"""
