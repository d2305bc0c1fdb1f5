"""Profiles by sampling: py-spy beside the process, and the operating system's clocks."""
