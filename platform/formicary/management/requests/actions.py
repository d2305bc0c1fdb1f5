"""What can be asked of a container's management agent: the requests of its language, with their arguments."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from functools import lru_cache
from typing import Any

import msgspec

from formicary.core.base_agent import ANSWERS_WITHIN, AgentState
from formicary.core.names import check_container, check_local, check_platform, check_receiver
from formicary.core.quoting import shorten
from formicary.observe.events import Filters

MOST_RESULTS = 100_000
"""How many agents one search finds at most, those left out by its offset included if it goes everywhere."""

MOST_NAMES = 10_000
"""How many agents one request makes, or locates, at most."""

MOST_SEEN = 2000
"""How many messages somebody who watches is told of at one time."""

LONGEST_VIEWER = 100  # characters
LARGEST_OFFSET = 1 << 53
LONGEST_PATTERN = 1300  # characters: more than any full name


class _Action(
    msgspec.Struct, frozen=True, tag_field="action", omit_defaults=True, forbid_unknown_fields=True
):
    """What all requests have in common: how they are written."""


class Search(_Action, frozen=True, tag="search"):
    """Find agents.

    Args:
        name: a pattern, in which `*` is any number of characters and `?` is one. With an `@` it is for full
            names and those like `alice@c1`, else for agents' own names.
        state: which state they are in; None for any.
        container: where they live, `c1` or the full domain; None for everywhere.
        max_results: how many are wanted at most, 0 to 100 000.
        offset: how many to leave out before the first.

    Raises:
        ValueError: one of these is out of range.
    """

    name: str = "*"
    state: AgentState | None = None
    container: str | None = None
    max_results: int = 1000
    offset: int = 0

    def __post_init__(self) -> None:
        _check_where(self.container)
        if len(self.name) > LONGEST_PATTERN:
            raise ValueError(f"the name must be a pattern of at most {LONGEST_PATTERN} characters")
        if not 0 <= self.max_results <= MOST_RESULTS:
            raise ValueError(f"max_results must be 0 to {MOST_RESULTS}, not {self.max_results}")
        if not 0 <= self.offset <= LARGEST_OFFSET:
            raise ValueError(f"an offset must be 0 to {LARGEST_OFFSET}, not {self.offset}")
        if self.container is None and self.offset + self.max_results > MOST_RESULTS:
            raise ValueError(
                f"a search of all containers only returns the first {MOST_RESULTS} agents; specify "
                "a container to see the others"
            )


class _OfContainers(_Action, frozen=True):
    container: str | None = None

    def __post_init__(self) -> None:
        _check_where(self.container)


class ListContainers(_OfContainers, frozen=True, tag="list-containers"):
    """Describe the platform's containers.

    Args:
        container: only this one, `c1` or the full domain.

    Raises:
        ValueError: that is no container's name.
    """


class Measure(_OfContainers, frozen=True, tag="measure"):
    """Say what containers use and carry; arguments and errors as of `ListContainers`."""


class Locate(_OfContainers, frozen=True, kw_only=True, tag="locate"):
    """Say where agents live, and in which state they are.

    Args:
        agents: their names, 1 to 10 000, in any form.
        container: only what this one knows: who lives there, and where agents live whose home it is.

    Raises:
        ValueError: that is no agent's name, or no container's; or there are too many names, or none.
    """

    agents: tuple[str, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < len(self.agents) <= MOST_NAMES:
            raise ValueError(f"one request can locate 1 to {MOST_NAMES} agents, not {len(self.agents)}")
        for name in self.agents:
            check_receiver(name)


class Watch(_Action, frozen=True, tag="watch"):
    """Say what was seen in a container since a viewer has last asked, and collect more for it for some time.

    Args:
        container: `c1` or the full domain.
        viewer: names who asks, and nobody else.
        most: how many messages the next answer may have, 1 to 2000.
        figures: whether figures are wanted, once a second.
        filters: which messages are wanted.
        end: whether no more is wanted.

    Raises:
        ValueError: one of these is out of range.
    """

    container: str
    viewer: str
    most: int = 200
    figures: bool = True
    filters: Filters = Filters()
    end: bool = False

    def __post_init__(self) -> None:
        _check_where(self.container)
        if not 0 < len(self.viewer) <= LONGEST_VIEWER:
            raise ValueError(f"a viewer is named by 1 to {LONGEST_VIEWER} characters")
        if not 1 <= self.most <= MOST_SEEN:
            raise ValueError(f"an answer has 1 to {MOST_SEEN} messages, not {self.most}")


class OfAgent(_Action, frozen=True):
    """What requests about one agent have in common.

    Args:
        agent: its name, in any form.

    Raises:
        InvalidNameError: that is no agent's name.
    """

    agent: str

    def __post_init__(self) -> None:
        check_receiver(self.agent)


class Find(OfAgent, frozen=True, tag="find"):
    """Describe one agent."""


class Suspend(OfAgent, frozen=True, tag="suspend"):
    """Stop an agent's behaviours until it is resumed."""


class Resume(OfAgent, frozen=True, tag="resume"):
    """Resume a suspended agent."""


class Kill(OfAgent, frozen=True, tag="kill"):
    """End an agent."""


class Deactivate(OfAgent, frozen=True, tag="deactivate"):
    """Have an agent sleep.

    Args:
        agent: its name, in any form.
        until: for how many seconds, or until when (as of ISO 8601, with a zone), unless a message wakes it
            before; `"message"`: until one comes.

    Raises:
        ValueError: that is no agent's name, or no time.
    """

    until: float | str

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_wake_time(self.until):
            raise ValueError(no_wake_time(self.until))


def is_wake_time(until: object) -> bool:
    """Tell whether an agent can be asked to sleep until then, as of `Deactivate`."""
    if not isinstance(until, str):
        return isinstance(until, int | float) and not isinstance(until, bool) and 0 <= until < float("inf")
    try:
        return until == "message" or datetime.fromisoformat(until).tzinfo is not None
    except ValueError:
        return False


def no_wake_time(until: object) -> str:
    """Return the sentence that this is none."""
    return (
        "an agent sleeps for a number of seconds, until a time with a time zone such as "
        f"2026-01-02T03:04:05Z, or until 'message', not {shorten(until)}"
    )


class Activate(OfAgent, frozen=True, tag="activate"):
    """Wake an agent that sleeps."""


class Move(OfAgent, frozen=True, tag="move"):
    """Move an agent to another container.

    Args:
        agent: its name, in any form.
        container: where it shall go on, `c1` or the full domain; None for the container that is asked.
        timeout: for how many seconds each container that has to ask another one waits for that.

    Raises:
        ValueError: that is no agent's name, no container's, or no time.
    """

    container: str | None = None
    timeout: float = ANSWERS_WITHIN

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_where(self.container)
        _check_time(self.timeout)


class Clone(OfAgent, frozen=True, tag="clone"):
    """Have a copy of an agent begin, under another name.

    Args:
        agent: the name of the one that is copied, in any form.
        name: the copy's own name.
        container: where it shall live, `c1` or the full domain; None for the container that is asked.
        timeout: as of `Move`.

    Raises:
        ValueError: that is no agent's name, no container's, or no time.
    """

    name: str
    container: str | None = None
    timeout: float = ANSWERS_WITHIN

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_where(self.container)
        _check_time(self.timeout)
        check_local(self.name)


class Create(_Action, frozen=True, rename={"class_name": "class"}, tag="create"):
    """Make an agent and start it.

    Args:
        class_name: `package.module:Class`.
        name: the agent's own name.
        container: where it shall live, `c1` or the full domain; None for the container that is asked.
        arguments: keyword arguments for the class, beside the name.

    Raises:
        ValueError: the name or the container cannot be one.
    """

    class_name: str
    name: str
    container: str | None = None
    arguments: dict[str, Any] = {}

    def __post_init__(self) -> None:
        _check_where(self.container)
        check_local(self.name)


class CreateMany(_Action, frozen=True, rename={"class_name": "class"}, tag="create-many"):
    """Make agents of one class, with the same arguments, and start them one after the other.

    Args:
        class_name: `package.module:Class`.
        names: the agents' own names, 1 to 10 000, each once.
        container: where they shall live, `c1` or the full domain; None for the container that is asked.
        arguments: keyword arguments for the class, beside the name.

    Raises:
        ValueError: a name or the container cannot be one; or there are too many names, none, or one twice.
    """

    class_name: str
    names: tuple[str, ...]
    container: str | None = None
    arguments: dict[str, Any] = {}

    def __post_init__(self) -> None:
        _check_where(self.container)
        if not 0 < len(self.names) <= MOST_NAMES:
            raise ValueError(f"one request can create 1 to {MOST_NAMES} agents, not {len(self.names)}")
        for name in self.names:
            check_local(name)
        if len(set(self.names)) != len(self.names):
            ((twice, _),) = Counter(self.names).most_common(1)
            raise ValueError(f"the name {twice!r} is given twice; give each agent a different name")


def _check_time(seconds: float) -> None:
    if not 0 < seconds < float("inf"):
        raise ValueError(f"the time to wait for an answer must be a number of seconds, not {seconds}")


@lru_cache(1000)  # as most requests name one of few
def _check_where(container: str | None) -> None:
    if container is not None:
        name, dot, platform = container.partition(".")
        check_container(name)
        if dot:
            check_platform(platform)


RequestOfAgent = Find | Suspend | Resume | Kill | Deactivate | Activate | Move | Clone
Request = RequestOfAgent | Search | Locate | ListContainers | Measure | Watch | Create | CreateMany
