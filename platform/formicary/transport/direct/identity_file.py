"""A container's identity in a file, so that those who have joined it find it again after a crash.

The file is a secret of mode 0600, with the container's private key and the token by which others join. It is
locked while in use, and replaced as a whole, so that it is never half written.
"""

from __future__ import annotations

import os
import ssl
import stat
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import msgspec
from msgspec import Meta

from formicary.core.errors import UsageError
from formicary.core.files import write_locked
from formicary.core.private import check_private, make_private_folder
from formicary.core.systems import lock
from formicary.transport.addresses import TcpAddress, Tls  # noqa: TC001 -- msgspec reads them
from formicary.transport.direct.identity import Identity

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

_LONGEST = 1 << 16  # bytes of an identity file


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of an identity file.

    `pem` has the key and the certificate; it is None without TLS.
    """

    domain: str
    token: Annotated[bytes, Meta(min_length=32, max_length=32)]
    pem: str | None
    tls: Tls
    unix: Annotated[str, Meta(max_length=128)] | None
    tcp: Annotated[tuple[TcpAddress, ...], Meta(max_length=16)]
    version: Literal[1] = 1

    def __repr__(self) -> str:
        return f"Record({self.domain!r}, unix={self.unix!r}, tcp={self.tcp!r}, tls={self.tls!r})"

    @property
    def identity(self) -> Identity | None:
        """The container's key and certificate; ValueError if they do not match."""
        if self.pem is None:
            return None
        begin = self.pem.index(ssl.PEM_HEADER)
        identity = Identity(ssl.PEM_cert_to_DER_cert(self.pem[begin:]), self.pem.encode())
        try:
            identity.accepting()
        except ssl.SSLError as error:
            raise ValueError("no key with its certificate") from error
        return identity


class IdentityFile:
    """An identity file, locked for one container, which may not exist yet.

    Attributes:
        record: its content; None if there was no file.
        identity: the key and certificate in it, if any.
    """

    record: Record | None = None
    identity: Identity | None = None

    def __init__(self, path: Path, domain: str) -> None:
        self._path = path
        self._domain = domain
        self._descriptor: int | None = None

    @classmethod
    def open(cls, path: Path, domain: str) -> Self:
        """Read and lock the file at `path`, which need not exist, for a container by its domain.

        Raises:
            UsageError: it is in use, unreadable, or not this container's; it is left unchanged.
        """
        file = cls(path, domain)
        try:
            file._find()
        except BaseException:
            file.close()
            raise
        return file

    def _find(self) -> None:
        while self._descriptor is None:
            try:
                self._descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            except FileNotFoundError:
                return
            except OSError as error:
                self._refuse(f"cannot be read ({error.strerror})", "choose another path")
            self._check()
            self._lock(self._descriptor)
            if not self._is_in_place(self._descriptor):  # its user has replaced it meanwhile
                self.close()
        self.record, self.identity = self._read(self._descriptor)

    def _check(self) -> None:
        assert self._descriptor is not None
        if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
            self._refuse("is not a file", "choose another path")
        try:
            check_private(self._path)
        except OSError as error:
            self._refuse(f"cannot be used ({error.strerror})", "fix that, or choose another path")

    def _lock(self, descriptor: int) -> None:
        try:
            lock(descriptor, waits=False)
        except BlockingIOError:
            self._refuse_used()

    def _is_in_place(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self._path.lstat())
        except FileNotFoundError:
            return False

    def _read(self, descriptor: int) -> tuple[Record, Identity | None]:
        try:
            record = msgspec.json.decode(os.read(descriptor, _LONGEST), type=Record)
            identity = record.identity
        except ValueError:  # msgspec's errors are some
            self._refuse("is not the identity of a container", "choose another path, or delete it")
        except OSError as error:
            self._refuse(f"cannot be read ({error.strerror})", "choose another path")
        if record.domain != self._domain:
            self._refuse(
                f"is the identity of {record.domain}, not of {self._domain}", "give each container its own"
            )
        return record, identity

    def keep(
        self,
        token: bytes,
        identity: Identity | None,
        *,
        tls: Tls,
        unix: str | None,
        tcp: tuple[TcpAddress, ...],
    ) -> None:
        """Write a `Record` to the file, creating it if necessary; UsageError if that fails."""
        pem = identity.pem.decode() if identity else None
        record = Record(domain=self._domain, token=token, pem=pem, tls=tls, unix=unix, tcp=tcp)
        if record == self.record:
            return
        try:
            make_private_folder(self._path.parent)
        except OSError as error:
            self._refuse_written(error)
        has_file = self._descriptor is not None
        try:
            descriptor = write_locked(self._path, msgspec.json.encode(record), overwrite=has_file)
        except FileExistsError:
            self._refuse_used()
        except OSError as error:
            self._refuse_written(error)
        self.close()
        self._descriptor = descriptor
        self.record = record

    def close(self) -> None:
        """Unlock the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _refuse_used(self) -> NoReturn:
        self._refuse("is in use", "stop the container that uses it, or choose another path")

    def _refuse_written(self, error: OSError) -> NoReturn:
        self._refuse(f"cannot be written ({error.strerror})", "clear that path, or choose another path")

    def _refuse(self, what: str, hint: str) -> NoReturn:
        raise UsageError(f"the identity file {self._path} {what}; {hint}")
