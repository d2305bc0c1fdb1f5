"""What runs on a host for `formicary hosts check`, `prepare` and `clean`, where nothing is installed yet.

These modules are sent over SSH as text: they use Python's own library only, nothing later than Python 3.8,
and of each other only what they are sent with.

- `loop`: reads orders and answers them; `folder`: the folder where everything of ours is kept.
- `looking`, `network`: what a host is, and how fast others are reached from it.
- `installing`, `cleaning`: makes the environment for measurements, and removes all that is ours.
"""
