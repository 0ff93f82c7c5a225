"""Environments for learning: what isopatch.gym has."""
