"""The very code that runs here, installed on hosts.

- `prepare`: `formicary hosts prepare`; `helper`: runs a program of `bootstrap` on a host, and talks with it.
- `needs`: what has to be installed; `stock`: the archives of that, kept for the next time.
- `archives`: made of what is installed here, and of this code; `downloads`: what comes from the index.
"""
