"""The very code that runs here, installed on hosts.

- `prepare`: `formicary hosts prepare`; `helper`: runs a program of `bootstrap` on a host, and talks with it.
- `needs`: what has to be installed; `stock`: the wheels for that, kept for the next time.
- `wheels`, `own_wheel`: made of what is installed here, and of this code; `downloads`: from the index.
"""
