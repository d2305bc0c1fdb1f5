"""How long the rest of a run takes.

- `forecast`: from what was measured so far, and in earlier runs on this machine.
- `default_durations`: about how long they take on some machine.
"""
