"""Tables and pictures of profiles.

- `attribution`: CPU times by group, thread, agent or function
- `estimates`: how far they may be off
- `tables`: them as text
- `flame`: a flame graph
- `speedscope`: a file for speedscope.app
"""
