"""Checks of what this machine supports and lacks; nothing in the platform imports it.

- `programs`: Python, libraries and programs
- `machine`: clocks, noise and ports
- `tracing`: whether py-spy may look into processes
- `finding`: the result of one check
"""

CPU_GROUP = "platform"
