"""Many hosts: who they are, how they are reached, what runs there for a measurement.

- `inventory`, `inventory_file`, `inventory_values`: the file hosts.toml.
- `launchers`: how host agents are started, and where hosts come from: SSH, a command, this machine.
- `ssh`: connections, and the keys by which both ends are known.
- `session`: all hosts of a run; `workers`: workers and windows on them, as the runner sees them.
- `host_agent`: the program of a run on each host, and the controller's side of it.
- `bootstrap`: programs for hosts on which nothing is installed yet; the standard library alone.
- `provisioning`: `formicary hosts prepare`: runs those programs, and makes, fetches and keeps archives.
- `checks` and `clean`: `formicary hosts check` and `formicary hosts clean`.
- `clocks`, `extra`, `folders`, `steps`: what several of them need.
"""

from __future__ import annotations

from formicary.errors import FormicaryError

CPU_GROUP = "runtime"


class HostError(FormicaryError):
    """A host cannot do what it is asked for; the sentence names it, says why, and what to do next."""

    exit_code = 3


def together(errors: list[HostError], count: int) -> HostError:
    """Make one error of what is wrong with several hosts, each on a line of its own.

    Args:
        errors: at least one.
        count: how many hosts there are.
    """
    sentences = dict.fromkeys(map(str, errors))
    if len(sentences) == 1:  # of one host, or of what all of them need
        return errors[0]
    lines = "".join(f"\n  {sentence}" for sentence in sentences)
    return HostError(f"{len(errors)} of {count} hosts cannot be used:{lines}")
