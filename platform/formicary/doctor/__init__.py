"""Checks of what this machine supports and lacks; nothing in the platform imports it.

- `programs`: Python, libraries and programs, and whether py-spy may look into processes
- `machine`: clocks, noise and ports
- `finding`: the result of one check
"""

CPU_GROUP = "platform"
