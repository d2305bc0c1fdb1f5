"""Many hosts: which there are, how they are reached, and what runs there for a measurement.

- `inventory`, `inventory_values`: the file hosts.toml
- `launchers`: which hosts there are, and how host agents start there: by SSH, a command, or on this machine
- `ssh`: connections
- `session`: all hosts of a run; `workers`: workers and windows there, as the runner sees them
- `host_agent`: the program of a run on each host, and the controller's side of it
- `bootstrap`: programs for hosts without Formicary, of the standard library alone
- `provisioning`: `formicary hosts prepare` and `clean`, which run those programs and send archives
- `checks`: `formicary hosts check`
- `clocks`, `folders`: what several of them need
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
    """Make one error of the errors of some hosts out of `count`, on a line each."""
    sentences = dict.fromkeys(map(str, errors))
    if len(sentences) == 1:  # of one host, or of what all of them need
        return errors[0]
    lines = "".join(f"\n  {sentence}" for sentence in sentences)
    return HostError(f"{len(errors)} of {count} hosts cannot be used:{lines}")


class Steps(Protocol):
    """Shows the progress on each host."""

    def begin(self, hosts: Iterable[str]) -> None:
        """Begin, with the names of all hosts."""

    def at(self, host: str, what: str) -> None:
        """Show the current step on a host."""

    def done(self, host: str, what: str = "done") -> None:
        """Show that a host is finished."""


_NEEDED = ("asyncssh", "packaging", "pip")


def need_extra() -> None:
    """Raise a UsageError if the extra `lab` is not installed."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"hosts cannot be reached: {', '.join(missing)} is not installed; "
            'install what is missing: pip install "formicary[bench,lab]"'
        )
