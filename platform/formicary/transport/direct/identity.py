"""A container's key and certificate for TLS, new or from its identity file.

No authority signs the certificate: each side has learnt the other's over a trusted path, and compares. So
neither names nor dates in it matter, and hosts with wrong clocks can connect.
"""

from __future__ import annotations

import os
import ssl
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.core.files import write_private
from formicary.core.scratch import scratch_folder
from formicary.transport.addresses import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIRST_DAY = datetime(2000, 1, 1)  # noqa: DTZ001 -- certificates' dates are UTC and carry no zone
_LAST_DAY = datetime(9999, 12, 31, 23, 59, 59)  # noqa: DTZ001 -- RFC 5280: no well-defined end


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
