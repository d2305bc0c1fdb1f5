"""From the options of `formicary run` to a container that reaches others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from formicary.errors import UsageError

if TYPE_CHECKING:
    from formicary.container import Container

Route = Literal["auto", "direct", "xmpp"]
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, kw_only=True)
class Reaching:
    """How a container is to reach others. None is what was not given.

    Attributes:
        platform: the platform's domain.
        server: the folder of a server, or `local`.
        listen: the address where others may reach it.
        join: which container to join, as in `join_files.read`.
        route: which way messages take.
        tls: whether all connections use TLS, or none does.
    """

    platform: str | None = None
    server: str | None = None
    listen: str | None = None
    join: str | None = None
    route: Route | None = None
    tls: bool | None = None

    def container(self, name: str, seed: int | None) -> Container:
        """Return a container of this name, not opened yet.

        Raises:
            UsageError: the options do not fit each other, or there is nothing to join.
            ServerError: there is no such server.
        """
        self._check()
        if self.server is not None:
            return self._at_a_server(self.server, name, seed)
        from formicary.container import PLATFORM, Container

        platform, address = self.platform or PLATFORM, None
        if self.join is not None:
            platform, address = self._joined(self.join, name)
        return Container(
            name,
            platform=platform,
            join=address,
            listen=self.listen,
            route=self.route or "auto",
            tls=self._tls,
            seed=seed,
        )

    @property
    def can_be_joined_at(self) -> str | None:
        """Where others can join the container, once it is open; None if they cannot."""
        return self.listen if self.server is None else None

    @property
    def _tls(self) -> bool | Literal["always"]:
        return True if self.tls is None else "always" if self.tls else False

    def _check(self) -> None:
        if self.server is not None and self.join is not None:
            raise UsageError("containers with a server meet there: leave --join or --server out")
        if self.server is not None and self.listen == LOOPBACK:
            raise UsageError(
                "containers with a server meet there: leave --listen out, or give --listen-on with an "
                "address of this host that containers of other hosts can reach"
            )
        given = {"--route": self.route, "--tls or --no-tls": self.tls}
        if self.server is self.listen is self.join is None:
            for option, value in given.items():
                if value is not None:
                    raise UsageError(
                        f"a container by itself reaches no others, so {option} says nothing: add --server, "
                        "--listen or --join, or leave it out"
                    )

    def _at_a_server(self, server: str, name: str, seed: int | None) -> Container:
        from formicary.container import Container
        from formicary.server import ServerAddress

        address = ServerAddress.load(server, tls=bool(self.tls))
        if self.platform not in {None, address.platform}:
            raise UsageError(
                f"the server in {address.folder} serves the platform {address.platform}, not "
                f"{self.platform}; leave --platform out"
            )
        return Container(
            name,
            platform=address.platform,
            server=address,
            listen=self.listen,
            route=self.route or "auto",
            tls=self._tls,
            seed=seed,
        )

    def _joined(self, join: str, name: str) -> tuple[str, str]:
        """Return the platform of the container to join, and its join address."""
        from formicary.cli import join_files
        from formicary.transport.direct import JoinAddress

        address = join_files.read(join)
        other, _, platform = JoinAddress.parse(address).domain.partition(".")
        if self.platform not in {None, platform}:
            raise UsageError(
                f"the container {other} is of the platform {platform}, not {self.platform}; "
                "leave --platform out"
            )
        if other == name:
            raise UsageError(
                f"the container to join is named {other}, too: give this one a name of its own with --name"
            )
        return platform, address
