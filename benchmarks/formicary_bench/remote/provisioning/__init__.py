"""The very code that runs here, installed on hosts.

- `prepare`: `formicary hosts prepare`; `helper`: runs a program of `bootstrap` on a host, and talks with it.
- `stock`: archives of what has to be installed, kept for the next time, and what comes from the index.
- `archives`: made of what is installed here, and of this code.
"""
