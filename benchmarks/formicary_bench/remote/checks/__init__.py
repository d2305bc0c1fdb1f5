"""`formicary hosts check`.

- `check`: looks at all hosts, then at the ways between them.
- `facts`: what is known of a host; `judging`: what is wrong with it, from these facts alone.
"""
