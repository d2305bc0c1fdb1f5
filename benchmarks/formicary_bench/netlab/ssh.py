"""Access to the hosts of a lab: a key for all, an sshd on each, and the inventory."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from formicary_bench.netlab import LabError
from formicary_bench.netlab.folder import INTERFACE
from formicary_bench.netlab.network import PACKAGES, FailedError, find, ip, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.netlab.folder import Lab, LabFolder, LabHost


PRIVILEGE_SEPARATION = Path("/run/sshd")  # compiled into sshd; usually made by the system's service
_SECONDS_TO_START = 10.0

_CONFIGURATION = """\
# One host of a lab that `formicary hosts lab up` has made: who has the lab's key is root there.
ListenAddress {address}
HostKey {host_key}
PidFile {pid}
AuthorizedKeysFile {authorized}
AllowUsers root
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM {pam}
# The folder of the lab is private; what lies above it is the user's business.
StrictModes no
PermitUserRC no
PermitUserEnvironment no
X11Forwarding no
UseDNS no
PrintMotd no
PrintLastLog no
# Tests connect many times at once.
MaxStartups 200
MaxSessions 200
Subsystem sftp internal-sftp
"""


def make_keys(folder: LabFolder) -> None:
    private, public = _new_key()
    folder.save(folder.key, private)
    folder.save(folder.path / "authorized_keys", public + b" formicary-lab\n")


def make_server(folder: LabFolder, host: LabHost) -> bytes:
    """Write the files of a host's SSH server; return its line of known_hosts."""
    private, public = _new_key()
    folder.save(folder.host_key(host.name), private)
    configuration = _CONFIGURATION.format(
        address=host.address,
        host_key=_quoted(folder.host_key(host.name)),
        pid=_quoted(folder.host(host.name, "pid")),
        authorized=_quoted(folder.path / "authorized_keys"),
        pam="yes" if _is_locked() else "no",
    )
    folder.save(folder.host(host.name, "config"), configuration.encode())
    return f"{host.address} ".encode() + public + b"\n"


def start(folder: LabFolder, host: LabHost) -> None:
    """Start a host's SSH server, and wait until it listens; raise a LabError if that fails."""
    PRIVILEGE_SEPARATION.mkdir(mode=0o755, exist_ok=True)
    config, log = folder.host(host.name, "config"), folder.host(host.name, "log")
    options = ["-f", str(config), "-E", str(log)]
    # OpenSSH 9.8 and later block clients after failures for a while; older ones lack the option.
    patient = ["-o", "PerSourcePenalties=no"]
    with suppress(FailedError):
        run("sshd", "-t", *options, *patient)
        options += patient
    try:
        ip("netns", "exec", host.namespace, find("sshd"), *options)
        _wait_for(folder.host(host.name, "pid"))
    except (FailedError, TimeoutError) as error:
        raise LabError(
            f"the SSH server of {host.name} does not start: {_last_words(log) or error}; fix that, "
            f"or reinstall the package {PACKAGES['sshd']}, and run the command again"
        ) from error


def _wait_for(file: Path) -> None:
    until = time.monotonic() + _SECONDS_TO_START
    while not file.exists():
        if time.monotonic() > until:
            raise TimeoutError("it does not write its PID file")
        time.sleep(0.005)


def _new_key() -> tuple[bytes, bytes]:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return private, public


def _is_locked() -> bool:
    # Without PAM, sshd refuses users with a locked password (`passwd -l`), even with a key.
    try:
        lines = Path("/etc/shadow").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    return any(line.startswith("root:!") for line in lines)


def _quoted(path: Path) -> str:
    return f'"{path}"'  # `LabFolder.prepare` has refused what would need more


def _last_words(log: Path) -> str:
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    return "; ".join(
        [line.strip() for line in lines if line.strip()][-2:]
    )  # the reason, and what comes of it


GROUP = "lab"
"""The group of all hosts."""

_ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", 0x7F: "\\u007f"} | {n: f"\\u{n:04x}" for n in range(32)}


def inventory(lab: Lab, folder: LabFolder) -> str:
    """Return the text of hosts.toml."""
    return "\n".join(_lines(lab, folder)) + "\n"


def _lines(lab: Lab, folder: LabFolder) -> Iterator[str]:
    yield "# The hosts of a lab on one machine: `formicary hosts lab up` has made them and this file, and"
    yield f"# `formicary hosts lab down{folder.option}` removes them and this file."
    yield ""
    yield "[defaults]"
    yield 'user = "root"'
    yield f"key = {quoted(str(folder.key))}"
    yield f"known_hosts = {quoted(str(folder.known_hosts))}"
    yield "# What is installed here is there already: the hosts share this machine's files."
    yield from _environment()
    yield f"groups = [{quoted(GROUP)}]"
    yield "# The interface whose traffic is measured."
    yield f"interface = {quoted(INTERFACE)}"
    for host in lab.hosts:
        yield ""
        yield f"[hosts.{host.name}]"
        yield f"address = {quoted(host.address)}"
        yield "# Where its containers and servers listen for the other hosts."
        yield f"listen = {quoted(host.address)}"


def _environment() -> Iterator[str]:
    if (Path(sys.prefix) / "bin" / "python").exists():
        yield f"venv = {quoted(sys.prefix)}"
    else:  # the system's own Python, which may have `python3` alone
        yield f"python = {quoted(sys.executable)}"


def quoted(text: str) -> str:
    """Return a text as a TOML string."""
    return f'"{text.translate(_ESCAPES)}"'
