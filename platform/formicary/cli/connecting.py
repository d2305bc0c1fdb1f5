"""Builds a container from the options of `formicary run`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from formicary.core.errors import UsageError
from formicary.core.private import check_secret
from formicary.core.systems import need_posix

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from formicary.container.container import Container
    from formicary.server import ServerAddress
    from formicary.server.account import AccountAddress

Route = Literal["auto", "direct", "xmpp"]
Design = Literal["replica", "central"]
LOOPBACK = "127.0.0.1"
_LONGEST_PASSWORD = 4096  # bytes


@dataclass(frozen=True, kw_only=True)
class ConnectionSettings:
    """How a container reaches others; None for options that were not given.

    Attributes:
        platform: the platform's domain.
        server: a server's folder, `local`, or a file that describes a server.
        account: the address of an ordinary XMPP account.
        account_server: the address of the account's server, with or without a port.
        password_file: the file with the account's password.
        insecure: whether not to check the certificate of the account's server.
        listen: the address at which others may reach it.
        join: the container to join, as in `join_files.read`.
        route: how messages reach other containers.
        tls: whether all connections use TLS, or none does.
        main: the name of the platform's container.
        directory: how agents find each other.
        directory_file: where a central directory keeps its entries.
        creatable: modules whose agents others may create.
        accepts: modules whose agents may move here.
        sleepers: the file for sleeping agents.
        spread_at: the address at which containers in other processes join it; None if there are none.
        is_synchronous: whether behaviours run in lockstep cycles.
    """

    platform: str | None = None
    server: str | None = None
    account: str | None = None
    account_server: str | None = None
    password_file: Path | None = None
    insecure: bool = False
    listen: str | None = None
    join: str | None = None
    route: Route | None = None
    tls: bool | None = None
    main: str | None = None
    directory: Design | None = None
    directory_file: Path | None = None
    creatable: Sequence[str] = ()
    accepts: Sequence[str] = ()
    sleepers: Path | None = None
    spread_at: str | None = None
    is_synchronous: bool = False

    def container(self, name: str, seed: int | None, **options: Any) -> Container:
        """Return a container of this name, not opened yet.

        Raises:
            UsageError: the options do not fit each other, or there is nothing to join.
            ServerError: there is no such server.
        """
        self._check()
        self._check_plan(name)
        return self._open(
            name,
            self.route or "auto",
            listen=self.listen or self.spread_at,
            seed=seed,
            creatable=self.creatable,
            accepts=self.accepts,
            mode="synchronous" if self.is_synchronous else "asynchronous",
            **options,
        )

    def guest(self, name: str) -> Container:
        """Return a guest of this name, not opened yet, which only queries the platform's container.

        Raises:
            UsageError, ServerError: as of `container`.
        """
        self._check()
        # Setting up a direct connection would take longer than querying over the server.
        return self._open(name, "auto" if self.join else "xmpp", guest=True)

    def _open(self, name: str, route: Route, **options: Any) -> Container:
        from formicary.container.container import PLATFORM, Container
        from formicary.container.options import MAIN, Network, Services

        if self.join or self.server or self.account or self.can_be_joined_at:
            need_posix("platforms of several containers")
        platform, joined = self.platform or PLATFORM, None
        meeting: ServerAddress | AccountAddress | None = None
        if self.join is not None:
            platform, joined = self._joined(self.join, name)
        elif self.server is not None:
            meeting = self._server_address(self.server)
        elif self.account is not None:
            meeting = self._account_address(self.account)
        identity = None
        if self.can_be_joined_at is not None:
            from formicary.cli import join_files

            identity = join_files.identity(f"{name}.{platform}")
        return Container(
            name,
            platform=meeting.platform if meeting else platform,
            server=meeting,
            join=joined,
            network=Network(
                route=route,
                tls=True if self.tls is None else "always" if self.tls else False,
                identity=identity,
            ),
            services=Services(
                main=self.main or MAIN,
                directory=self.directory or "replica",
                directory_file=self.directory_file,
                sleepers=self.sleepers,
            ),
            **options,
        )

    @property
    def can_be_joined_at(self) -> str | None:
        """The address at which others can join the open container; None if they cannot."""
        return self.listen if self.server is self.account is None else None

    @property
    def server_folder(self) -> Path | None:
        """The state folder of the private server where containers meet; None if they meet elsewhere."""
        return None if self.server is None else self._server_address(self.server).folder

    @property
    def is_alone(self) -> bool:
        """Whether the container reaches no others."""
        return self.spread_at is self.server is self.account is self.join is self.listen is None

    @property
    def takes_agents(self) -> bool:
        """Whether others may create agents in the container, or move them there."""
        return bool(self.creatable or self.accepts)

    def _check(self) -> None:
        places = {"--server": self.server, "--account": self.account, "--join": self.join}
        given = [option for option, value in places.items() if value is not None]
        if len(given) > 1:
            raise UsageError(f"containers can meet in only one place: omit {' or '.join(given)}")
        if given not in ([], ["--join"]) and self.listen == LOOPBACK:
            raise UsageError(
                f"with {given[0]}, containers meet there: omit --listen, or use --listen-on with an "
                "address of this host that other hosts can reach"
            )
        if self.spread_at is not None and given:
            raise UsageError(
                f"with --containers or --launcher, all containers meet in this process: omit {given[0]}"
            )
        if self.spread_at is not None and self.sleepers is not None:
            raise UsageError(
                "--sleepers names the file of a single container: omit it, or omit --containers and "
                "--launcher"
            )
        if self.is_alone:
            self._refuse(
                {"--route": self.route, "--tls or --no-tls": self.tls},
                "this container cannot reach any others",
                "--server, --account, --listen or --join",
            )
        if self.account is None:
            of_accounts = {
                "--account-server": self.account_server,
                "--password-file": self.password_file,
                "--insecure": self.insecure or None,
            }
            self._refuse(of_accounts, "no account is given", "--account")
        if self.server is self.account is None:
            reason = "the platform's container is the one that others join"
            self._refuse({"--main": self.main}, reason, "--server or --account")

    def _check_plan(self, name: str) -> None:
        """Check that a directory's file will be used."""
        from formicary.container.options import MAIN

        is_main = self.join is None and (self.server is self.account is None or name == (self.main or MAIN))
        file = {"--directory-file": self.directory_file}
        if self.directory != "central":
            self._refuse(file, "only a central directory has a file", "--directory central")
        elif not is_main:
            self._refuse(file, "only the platform's container keeps the directory", "it there")

    def _refuse(self, options: Mapping[str, object], reason: str, needed: str) -> None:
        for option, value in options.items():
            if value is not None:
                raise UsageError(f"{reason}, so {option} has no effect: add {needed}, or omit {option}")

    def _server_address(self, server: str) -> ServerAddress:
        from formicary.server import ServerAddress

        address = ServerAddress.load(server, tls=bool(self.tls))
        if self.platform not in {None, address.platform}:
            raise UsageError(
                f"the server in {address.folder or server} serves the platform {address.platform}, "
                f"not {self.platform}; omit --platform"
            )
        return address

    def _account_address(self, account: str) -> AccountAddress:
        from formicary.server.account import AccountAddress, require_extra

        require_extra()
        host, _, port = (self.account_server or "").partition(":")
        if port and not port.isdecimal():
            raise UsageError(f"--account-server must be HOST or HOST:PORT, not {self.account_server!r}")
        return AccountAddress(
            account,
            self._password(account),
            platform=self.platform or "",
            host=host or None,
            port=int(port) if port else None,
            insecure=self.insecure,
            tls=self.tls is not False,
        )

    def _password(self, account: str) -> str:
        if self.password_file is None:
            if not sys.stdin.isatty():
                raise UsageError(
                    "there is no terminal to ask for the account's password: use --password-file"
                )
            from getpass import getpass

            try:
                return getpass(f"password of {account}: ")
            except EOFError:
                raise UsageError("no password was entered") from None
        try:
            check_secret(self.password_file)
            with self.password_file.open("rb") as file:
                password = file.read(_LONGEST_PASSWORD).decode().rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise UsageError(f"cannot read the password in {self.password_file} ({reason})") from error
        if not password:
            raise UsageError(f"{self.password_file} contains no password")
        return password

    def _joined(self, join: str, name: str) -> tuple[str, str]:
        """Return the platform of the container to join, and its join address."""
        from formicary.cli import join_files
        from formicary.transport.addresses import JoinAddress

        address = join_files.read(join)
        other, _, platform = JoinAddress.parse(address).domain.partition(".")
        if self.platform not in {None, platform}:
            raise UsageError(
                f"the container {other} belongs to the platform {platform}, not {self.platform}; "
                "omit --platform"
            )
        if other == name:
            raise UsageError(f"the container to join is also named {other}: choose another name with --name")
        return platform, address
