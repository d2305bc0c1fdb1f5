"""Hosts on one machine: network namespaces that a bridge joins, with an SSH server in each.

- `make`, `status`: `formicary hosts lab up`, `down` and `status`.
- `folder`: what a lab consists of, and what is remembered of it.
- `network`, `ssh`: its network, the system's programs for it, and its SSH servers with its hosts.toml.
"""

from __future__ import annotations

from formicary.errors import FormicaryError

CPU_GROUP = "runtime"


class LabError(FormicaryError):
    """A lab cannot be made, looked at or removed; the sentence says why, and what to do."""

    exit_code = 3
