"""Hosts on one machine: network namespaces that a bridge joins, with an SSH server in each.

- `make`, `remove`, `status`: `formicary hosts lab up`, `down` and `status`.
- `lab`: what a lab consists of; `folder`: what is remembered of it.
- `network`, `ssh`: its network, and its SSH servers with its hosts.toml.
- `programs`: the system's programs that it is made with.
"""

from __future__ import annotations

from formicary.errors import FormicaryError

CPU_GROUP = "runtime"


class LabError(FormicaryError):
    """A lab cannot be made, looked at or removed; the sentence says why, and what to do."""

    exit_code = 3
