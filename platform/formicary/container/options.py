"""The options of a container: in groups, and which of them go together."""

from __future__ import annotations

import os  # noqa: TC003 -- signatures show the types
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from formicary.container.option_values import check_choice, check_count, check_path, check_text, error
from formicary.core.errors import UsageError
from formicary.core.names import check_container
from formicary.core.times import check_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from formicary.delivery.protocols import Connectable
    from formicary.server.account import XmppServer
    from formicary.transport.addresses import JoinAddress

MAIN = "c1"
"""The default name of the platform's container."""


class Limits(msgspec.Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """How many messages may wait in a container, and what `send` does when a mailbox is full.

    Args:
        mailbox: messages that each behaviour's mailbox holds; 0 for any number.
        micro_agents: messages that all micro-agents together may have waiting.
        when_full: `"wait"`: `send` waits up to `send_timeout` for room; `"fail"`: it fails at once.
        send_timeout: seconds.

    Raises:
        UsageError: a value is invalid.
    """

    mailbox: int = 1000
    micro_agents: int = 100_000
    when_full: Literal["wait", "fail"] = "wait"
    send_timeout: float = 30.0

    def __post_init__(self) -> None:
        check_count("mailbox", self.mailbox, least=0)
        check_count("micro_agents", self.micro_agents)  # as a queue without any room would take nothing
        check_choice("when_full", self.when_full, "wait", "fail")
        check_seconds(self.send_timeout, "send_timeout=", least=0)


class Network(msgspec.Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """How messages travel to other containers.

    Args:
        route: `"auto"`: over direct connections where possible, else through the server, or through the
            container that both have joined; `"direct"`: over direct connections only; `"xmpp"`: through the
            server only.
        tls: whether direct connections to other hosts use TLS 1.3; `"always"`: those on this host, too.
        identity: for a container with `listen` and without a server: the file of its secrets, which is
            created if missing. Opened again with this file, as after a crash, a container of the same name
            has the same `join_address`, and those that had joined it reconnect by themselves.

    Raises:
        UsageError: a value is invalid.
    """

    route: Literal["auto", "direct", "xmpp"] = "auto"
    tls: Literal[True, False, "always"] = True
    identity: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        check_choice("route", self.route, "auto", "direct", "xmpp")
        check_choice("tls", self.tls, True, False, "always")
        check_path("identity", self.identity)


class ConnectionOptions(Network, frozen=True, kw_only=True):
    """What a transport needs to know: `Network`, and the `listen` of `Container`."""

    listen: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_text(
            "listen",
            self.listen,
            "the IP address at which others can reach this container, such as '127.0.0.1'",
        )


class Services(msgspec.Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """How the services of a platform run; `main` and `directory` must be the same in all its containers.

    Args:
        main: where containers meet at a server, the name of the platform's container, which keeps the list
            of all. Without a server it is the one that the others join.
        directory: how agents find each other: `"replica"`: every container has all entries; `"central"`: an
            agent `df` in the platform's container has them.
        directory_file: the file in which a central directory keeps its entries; None for memory only.
        sleepers: the file in which agents sleep, and from which they wake when the container is opened
            again; None for a temporary one, with which they end.
        conversation_rules: what happens to a message that its conversation's protocol does not allow:
            `"strict"`: it becomes a dead letter, and its sender gets a `not-understood`; `"lenient"`: it is
            counted, and delivered to the behaviours.

    Raises:
        UsageError: a value is invalid, or `directory_file` is given for another directory.
        InvalidNameError: `main` is not a container's name.
    """

    main: str = MAIN
    directory: Literal["replica", "central"] = "replica"
    directory_file: str | os.PathLike[str] | None = None
    sleepers: str | os.PathLike[str] | None = None
    conversation_rules: Literal["strict", "lenient"] = "strict"

    def __post_init__(self) -> None:
        check_container(self.main)
        if self.directory != "replica":
            from formicary.directory.designs import DIRECTORIES

            check_choice("directory", self.directory, *DIRECTORIES)
        check_choice("conversation_rules", self.conversation_rules, "strict", "lenient")
        check_path("sleepers", self.sleepers)
        check_path("directory_file", self.directory_file)
        if self.directory_file is not None and self.directory != "central":
            raise UsageError(
                f"a {self.directory} directory has no file; omit directory_file=, or use directory='central'"
            )


GROUPS: Mapping[str, type[Limits | Network | Services]] = {
    "limits": Limits,
    "network": Network,
    "services": Services,
}
"""The groups, by the option of `Container` that takes each."""

_OF_CHILDREN: Final = frozenset(
    {"accepts", "compute_in", "copy", "creatable", "limits", "mode", "network", "seed", "services"}
)
"""The options of `Container` that containers in their own processes accept."""

_NOT_OF_CHILDREN: Final = {
    "network": ("identity", "route"),
    "services": ("directory_file", "main", "sleepers"),
}

_PLACES: Mapping[str, str] = {
    "mailbox_limit": "limits=Limits(mailbox=...)",
    "queue_limit": "limits=Limits(micro_agents=...)",
} | {
    name: f"{option}={kind.__name__}({name}=...)"
    for option, kind in GROUPS.items()
    for name in kind.__struct_fields__
}


def check_groups(given: Mapping[str, object]) -> None:
    """Check that the values of these options of `Container` are groups; UsageError."""
    for name, group in given.items():
        check_group = GROUPS[name]
        if not isinstance(group, check_group):
            raise error(name, f"{check_group.__name__}(...), of `formicary`", group)


def of_plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of `Container` whose groups have come as plain data from another process."""
    return {name: GROUPS[name](**given) if name in GROUPS else given for name, given in options.items()}


def refuse_unknown(owner: str, options: Iterable[str], known: Iterable[str] = ()) -> None:
    """Refuse the names of options that `owner` does not take, or that are in a group now; UsageError."""
    for name in sorted({*options} - {*known}):
        if place := _PLACES.get(name):
            raise UsageError(f"{owner} takes {place} instead of {name}=")
        more = f"; it takes {', '.join(sorted(known))}" if known else ""
        raise UsageError(f"{owner} has no option {name}={more}")


def check_child_options(options: Mapping[str, Any]) -> None:
    """Refuse options that a container in another process does not accept.

    Raises:
        UsageError: there is such an option, or one that no container accepts.
    """
    owner = "a container in its own process"
    refuse_unknown(owner, options, _OF_CHILDREN)
    check_groups({name: options[name] for name in GROUPS if name in options})
    for group, names in _NOT_OF_CHILDREN.items():
        for name in names:
            if group in options and getattr(options[group], name) != getattr(GROUPS[group](), name):
                raise UsageError(f"{owner} cannot have {name}= in {group}=; omit it")


def meeting_place(
    server: XmppServer | Connectable | None, join: str | None, *, guest: bool
) -> XmppServer | JoinAddress | Connectable | None:
    """Return where a container meets others: a server, or the container that it joins.

    Raises:
        UsageError: both are given, a guest has neither, or an address is invalid.
    """
    if join is None:
        if guest and server is None:
            raise UsageError("a guest needs a server, an account or a container to join; pass one of them")
        return server
    if server is not None:
        raise UsageError("a container either has a server or joins another container; omit server= or join=")
    from formicary.transport.addresses import JoinAddress

    return JoinAddress.parse(join)
