"""A container's key and certificate for TLS, new or from its identity file.

No authority signs the certificate: each side has learnt the other's over a trusted path, and compares. So
neither names nor dates in it matter, and hosts with wrong clocks can connect.
"""

from __future__ import annotations

import os
import ssl
import stat
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import msgspec
from msgspec import Meta

from formicary.core.errors import UsageError
from formicary.core.files import write_locked, write_private
from formicary.core.private import check_private, make_private_folder
from formicary.core.scratch import scratch_folder
from formicary.core.systems import lock
from formicary.transport.addresses import (
    TcpAddress,
    Tls,
    fingerprint,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

_FIRST_DAY = datetime(2000, 1, 1)  # noqa: DTZ001 -- certificates' dates are UTC and carry no zone
_LAST_DAY = datetime(9999, 12, 31, 23, 59, 59)  # noqa: DTZ001 -- RFC 5280: no well-defined end
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


@dataclass(frozen=True)
class Identity:
    """A key and its certificate: both as PEM, and the certificate as DER."""

    certificate: bytes
    pem: bytes = field(repr=False)

    @property
    def fingerprint(self) -> bytes:
        """The certificate's SHA-256."""
        return fingerprint(self.certificate)

    @classmethod
    def make(cls) -> Identity:
        """Create a P-256 key and a self-signed certificate."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        key = ec.generate_private_key(ec.SECP256R1())
        serial = x509.random_serial_number()
        # A unique name, because certificate stores are searched by name.
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"formicary {serial:x}"[:64])])
        builder = x509.CertificateBuilder(name, name, key.public_key(), serial, _FIRST_DAY, _LAST_DAY)
        certificate = builder.sign(key, hashes.SHA256())
        secret = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return cls(
            certificate.public_bytes(serialization.Encoding.DER),
            secret + certificate.public_bytes(serialization.Encoding.PEM),
        )

    def accepting(self) -> ssl.SSLContext:
        """Return a context for the accepting side, which asks for a certificate but does not require one.

        A certificate that is shown must be among those loaded into the context: Python cannot inspect any
        other.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.verify_mode = ssl.CERT_OPTIONAL
        context.num_tickets = 0  # connections are not resumed
        return self._prepared(context)

    def dialling(self) -> ssl.SSLContext:
        """Return a context for the dialling side, which shows this certificate."""
        return self._prepared(anonymous())

    def _prepared(self, context: ssl.SSLContext) -> ssl.SSLContext:
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        with _as_file(self.pem) as file:
            context.load_cert_chain(file)
        return context


@contextmanager
def _as_file(secret: bytes) -> Iterator[str]:
    """Yield a private file with a key, as Python's ssl reads keys only from files.

    It is in memory if the system supports that, so that no key stays on disk even if the process is killed.
    """
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir():
        with os.fdopen(os.memfd_create("formicary"), "wb") as memory:
            memory.write(secret)
            memory.flush()
            yield f"/proc/self/fd/{memory.fileno()}"
        return
    with scratch_folder() as folder:
        file = folder / "key.pem"
        write_private(file, secret)
        yield str(file)


def anonymous() -> ssl.SSLContext:
    """Return a context for a dialling side that shows no certificate.

    The other side's certificate is not verified here; the dialler compares its fingerprint.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
