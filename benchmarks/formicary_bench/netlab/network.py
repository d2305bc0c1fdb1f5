"""The network of a lab: namespaces, a switch between them, limits.

The bridge is in a namespace of its own. In this machine's, its firewall would filter the traffic between
hosts: with Docker installed, it would be dropped.
"""

from __future__ import annotations

import fcntl
import ipaddress
import json
import os
import re
import shutil
import subprocess
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from formicary.processes.child import ended_with_us
from formicary_bench.netlab import LabError
from formicary_bench.netlab.folder import BRIDGE, CONTROLLER, INTERFACE, is_of, stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.netlab.folder import Lab, LabHost


PACKAGES = {"ip": "iproute2", "tc": "iproute2", "sshd": "openssh-server"}
"""The packages of these programs on Debian and Ubuntu."""

_PLACES = ("/usr/sbin", "/sbin", "/usr/local/sbin")  # not on everybody's PATH
_SECONDS = 30.0  # far more than any of them takes


class FailedError(LabError):
    """A program failed."""

    def __init__(self, said: str, sentence: str) -> None:
        super().__init__(sentence)
        self.said = said


def find(program: str) -> str:
    """Return the path of a program.

    Raises:
        LabError: it is not installed.
    """
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *_PLACES])
    if found := shutil.which(program, path=path):
        return found
    package = PACKAGES[program]
    raise LabError(
        f"a lab requires the program {program}, which is not installed; install it (Debian, Ubuntu: "
        f"sudo apt-get install {package})"
    )


def run(program: str, *arguments: str) -> str:
    """Run a program, and return its output.

    Raises:
        FailedError: its exit code is not 0, or it did not end.
    """
    # Nothing of ours in the environment: an sshd keeps what it gets for as long as it runs.
    environment = {"PATH": os.pathsep.join(["/usr/bin", "/bin", *_PLACES]), "LC_ALL": "C.UTF-8"}
    # Otherwise what a killed command has started would continue, and outlive the removal of everything else.
    command = ended_with_us([find(program), *arguments])
    try:
        done = subprocess.run(  # noqa: S603 - the lab's own arguments, no shell
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            start_new_session=True,  # Ctrl-C is for us: what is being done is done, and then undone
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise FailedError("", f"`{program} {' '.join(arguments)}` does not end") from None
    if done.returncode == 0:
        return done.stdout.decode(errors="replace")
    said = " ".join(done.stderr.decode(errors="replace").split()) or f"exit code {done.returncode}"
    raise FailedError(said, f"`{program} {' '.join(arguments)}` failed: {said}")


def ip(*arguments: str) -> str:
    """Run iproute2's `ip`."""
    return run("ip", *arguments)


RANGE = ipaddress.ip_network("198.18.0.0/15")
"""Addresses reserved for benchmarking networks (RFC 2544), which nobody has on the Internet."""

_UNITS = {"kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
_HOST_BITS = 24  # of a subnet: enough for a hundred hosts


@contextmanager
def choosing() -> Iterator[str]:
    """Reserve an unused subnet for the block, during which no other lab can choose one.

    Raises:
        LabError: there is none.
    """
    descriptor = os.open("/run", os.O_RDONLY | os.O_DIRECTORY)  # there is always one, and it stays clean
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        used = list(_used())
        for subnet in RANGE.subnets(new_prefix=_HOST_BITS):
            if not any(subnet.overlaps(other) for other in used):
                yield str(subnet)
                return
        raise LabError(
            f"all addresses of {RANGE} are in use; take a lab down, or stop the VPN that uses them"
        )
    finally:
        os.close(descriptor)


def _used() -> Iterator[ipaddress.IPv4Network]:
    for route in json.loads(ip("-json", "-4", "route", "show", "table", "all") or "[]"):
        with suppress(ValueError):  # "default"
            network = ipaddress.IPv4Network(route["dst"], strict=False)
            if network.prefixlen >= RANGE.prefixlen:  # wider ones are for what has no route of its own
                yield network


def lay_switch(lab: Lab) -> None:
    """Create the bridge, and the cable from this machine to it."""
    ip("netns", "add", lab.switch)
    ip("-netns", lab.switch, "link", "add", BRIDGE, "type", "bridge")
    port = ["peer", "name", CONTROLLER, "netns", lab.switch]
    ip("link", "add", lab.cable, "type", "veth", *port)
    _hush("", lab.cable)
    _hush(lab.switch, BRIDGE)
    ip("-netns", lab.switch, "link", "set", BRIDGE, "up")
    _plug_in(lab, CONTROLLER)
    ip("address", "add", f"{lab.address}/{_HOST_BITS}", "dev", lab.cable)
    ip("link", "set", lab.cable, "up")


def lay_host(lab: Lab, host: LabHost) -> None:
    """Create a host's namespace, and its cable to the bridge."""
    ip("netns", "add", host.namespace)
    own = ["-netns", host.namespace]
    ip(*own, "link", "set", "lo", "up")
    ip(*own, "link", "add", INTERFACE, "type", "veth", "peer", "name", host.name, "netns", lab.switch)
    _hush(host.namespace, INTERFACE)
    _plug_in(lab, host.name)
    ip(*own, "address", "add", f"{host.address}/{_HOST_BITS}", "dev", INTERFACE)
    ip(*own, "link", "set", INTERFACE, "up")
    _limit(host.namespace, INTERFACE, lab.rate, lab.delay)


def _plug_in(lab: Lab, port: str) -> None:
    _hush(lab.switch, port)
    ip("-netns", lab.switch, "link", "set", port, "master", BRIDGE, "up")


def _hush(namespace: str, interface: str) -> None:
    # With an IPv6 address come packets that nobody asked for, and what a host sends is measured.
    with suppress(FailedError):  # a kernel without IPv6
        ip(*(["-netns", namespace] if namespace else []), "link", "set", interface, "addrgenmode", "none")


def try_out(mark: str, rate: str, delay: str) -> None:
    """Check that this kernel has everything that the lab needs; nothing remains.

    Args:
        mark: the lab's mark.
        rate: the wanted bandwidth; empty for no limit.
        delay: the wanted delay; empty for none.

    Raises:
        LabError: something is missing.
    """
    trial = f"{stem(mark)}-trial"
    try:
        with _needed("network namespaces", "run this outside of a container, for example"):
            ip("netns", "add", trial)
        with _needed("bridges and virtual cables", "load the modules bridge and veth"):
            ip("-netns", trial, "link", "add", BRIDGE, "type", "bridge")
            ip("-netns", trial, "link", "add", INTERFACE, "type", "veth", "peer", "name", "other")
        if rate:
            with _needed("tbf, which limits the rate", "load the module sch_tbf, or omit --rate"):
                _limit(trial, INTERFACE, rate, "")
                run("tc", "-netns", trial, "qdisc", "delete", "dev", INTERFACE, "root")
        if delay:
            with _needed("netem, which delays", "load the module sch_netem, or omit --delay"):
                _limit(trial, INTERFACE, "", delay)
    finally:
        with suppress(FailedError):
            ip("netns", "delete", trial)


@contextmanager
def _needed(what: str, step: str) -> Iterator[None]:
    try:
        yield
    except FailedError as error:
        raise LabError(f"this kernel does not provide {what} ({error.said}); {step}") from error


def _limit(namespace: str, interface: str, rate: str, delay: str) -> None:
    parent = ["root"]
    if delay:  # so many packets may be on their way that none is lost to the delay itself
        _queue(namespace, interface, parent, "netem", "delay", delay, "limit", "100000")
        parent = ["parent", "1:1"]
    if rate:
        # What is sent in one turn of the kernel's clock, 4 ms, but at least a full segment.
        burst = max(bits_per_second(rate) // 8 // 250, 65_536)
        _queue(namespace, interface, parent, "tbf", "rate", rate, "burst", str(burst), "latency", "50ms")


def _queue(namespace: str, interface: str, parent: list[str], *kind: str) -> None:
    handle = "1:" if parent == ["root"] else "2:"
    add = ["qdisc", "add", "dev", interface, *parent, "handle", handle]
    run("tc", "-netns", namespace, *add, *kind)


def bits_per_second(rate: str) -> int:
    """Return a rate as a number.

    Raises:
        ValueError: it is not a valid rate.
    """
    found = re.fullmatch(r"([1-9][0-9]{0,5})(kbit|mbit|gbit)", rate)
    if found is None:
        raise ValueError(rate)
    return int(found[1]) * _UNITS[found[2]]


def namespaces(mark: str) -> Sequence[str]:
    """Return the existing namespaces of a lab, whether or not its folder exists."""
    names = [line.split()[0] for line in ip("netns", "list").splitlines() if line.strip()]
    return [name for name in names if is_of(mark, name)]


def interfaces() -> Sequence[str]:
    return [link["ifname"] for link in json.loads(ip("-json", "link", "show"))]
