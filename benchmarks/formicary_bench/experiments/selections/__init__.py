"""Selections: runs that take parts of several experiments."""
