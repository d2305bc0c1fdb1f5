"""Programs for hosts without Formicary, used by `formicary hosts check`, `prepare` and `clean`.

These modules are sent over SSH as text: they use the standard library of Python 3.8, and each other.

- `loop`: reads orders and answers them; `folder`: our folder on the host
- `looking`, `network`: facts about a host, and the speed of the network between hosts
- `installing`: makes the environment for measurements, and removes everything of ours
"""
