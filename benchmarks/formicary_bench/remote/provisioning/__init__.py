"""Installs the code that runs here on hosts.

- `prepare`: `formicary hosts prepare` and `clean`; `helper`: runs a program of `bootstrap` on a host
- `stock`: the archives to send, kept, with packages from the index; `archives`: makes them of what is here
"""
