"""What this machine can do for Formicary, and what is missing; nothing of the platform imports it.

- `programs`: Python, libraries and programs
- `machine`: clocks, noise and ports
- `tracing`: whether py-spy may look into processes
- `finding`: what one look has found
"""

CPU_GROUP = "platform"
