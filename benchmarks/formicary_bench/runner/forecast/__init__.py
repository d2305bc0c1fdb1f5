"""How long the rest of a run takes.

- `forecast`: from repetitions so far, and in earlier runs on this machine.
- `default_durations`: roughly how long repetitions take on some machine.
"""
