"""How long the rest of a run takes.

- `forecast`: from what was measured so far, and in earlier runs.
- `duration_history`: how long repetitions took in earlier runs on this machine, in a file.
- `default_durations`: about how long they take on some machine.
"""
