"""Many hosts: who they are, how they are reached, what runs there for a measurement.

- `inventory`, `inventory_values`: the file hosts.toml.
- `launchers`: how host agents are started, and where hosts come from: SSH, a command, this machine.
- `ssh`: connections, and the keys by which both ends are known.
- `session`: all hosts of a run; `workers`: workers and windows on them, as the runner sees them.
- `host_agent`: the program of a run on each host, and the controller's side of it.
- `bootstrap`: programs for hosts on which nothing is installed yet; the standard library alone.
- `provisioning`: `formicary hosts prepare`: runs those programs, and makes, fetches and keeps archives.
- `checks` and `clean`: `formicary hosts check` and `formicary hosts clean`.
- `clocks`, `folders`: what several of them need.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from formicary.errors import FormicaryError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

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


class Steps(Protocol):
    """Shows how far the work on each host is."""

    def begin(self, hosts: Iterable[str]) -> None:
        """Called with the names of all hosts, before anything is done."""

    def at(self, host: str, what: str) -> None:
        """Called when something new is done on a host."""

    def done(self, host: str, what: str = "done") -> None:
        """Called when nothing more is done on a host."""


_NEEDED = ("asyncssh", "packaging", "pip")


def need_extra() -> None:
    """Make sure that the extra `lab` is installed.

    Raises:
        UsageError: it is not.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"hosts cannot be reached: {', '.join(missing)} is not installed; "
            'install what is missing: pip install "formicary[bench,lab]"'
        )
