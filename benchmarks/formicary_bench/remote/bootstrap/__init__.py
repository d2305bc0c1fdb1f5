"""What runs on a host for `formicary hosts check`, `prepare` and `clean`, where nothing is installed yet.

These modules are sent over SSH as text: they use Python's own library only, nothing later than Python 3.8,
and of each other only what they are sent with.
"""
