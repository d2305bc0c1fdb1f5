"""Hosts on one machine: network namespaces, connected by a bridge, with an SSH server in each.

- `make`, `status`: `formicary hosts lab up`, `down` and `status`
- `folder`: the parts of a lab, and its files
- `network`, `ssh`: its network, and its SSH servers with its hosts.toml
"""

from __future__ import annotations

from formicary.errors import FormicaryError

CPU_GROUP = "runtime"


class LabError(FormicaryError):
    """A lab cannot be made, inspected or removed; with the cause and what to do."""

    exit_code = 3
