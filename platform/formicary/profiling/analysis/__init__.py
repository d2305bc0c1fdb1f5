"""Tables and graphs of profiles.

- `attribution`: CPU times by group, thread, agent or function, and their uncertainty
- `tables`: text output
- `flame`: a flame graph
- `speedscope`: a file for speedscope.app
"""
