"""What is wrong with a host, and what to do, from its facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formicary.doctor.finding import Finding, limited, missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formicary_bench.remote.checks.facts import Facts, Folder, Installed, Interpreter, Seen, Way
    from formicary_bench.remote.inventory import Host

OLDEST_PYTHON = (3, 11)
ROOM_TO_PREPARE = 1 << 30
"""Bytes for the archives and two environments: the old one is kept until the new one works."""

_ROOM_TO_MEASURE = 200 << 20
_OLDEST_PROSODY = (0, 12)
_FAR_OFF = 60.0  # s: the controller's certificates may not be valid yet there
_LOADED = 0.3  # of each usable core
_PREPARE = "run: formicary hosts prepare"


def judge(host: Host, facts: Facts, *, version: str, digest: str) -> Iterator[Finding]:
    yield from _formicary(host, facts, version, digest)
    yield from room(facts.folder, _ROOM_TO_MEASURE if facts.formicary.version else ROOM_TO_PREPARE)
    yield from _listening(facts)
    yield from _prosody(host, facts)
    yield from _tracing(facts)
    yield from _company(facts)


def _formicary(host: Host, facts: Facts, version: str, digest: str) -> Iterator[Finding]:
    if problem := difference(host, facts.formicary, version, digest):
        yield missing("formicary", *problem)
        if not host.venv:
            yield from interpreter(facts, host.python)


def difference(host: Host, installed: Installed, version: str, digest: str) -> tuple[str, str] | None:
    """Return what is wrong with a host's installation, and what to do; None if nothing is."""
    where = f"its environment {host.venv}" if host.venv else "it"
    step = f"install formicary {version} in {host.venv}, or remove `venv`" if host.venv else _PREPARE
    if installed.absent:
        return (f"there is no environment {host.venv}" if host.venv else "it is not prepared"), step
    if installed.failed:
        return f"formicary in {where} does not work ({installed.failed})", step
    if installed.version != version:
        return f"{where} has formicary {installed.version}, and the controller has {version}", step
    if installed.digest != digest:
        return f"{where} has other code of formicary {version} than the controller", step
    return None


def obstacles(host: Host, interpreter_there: Interpreter, folder: Folder) -> list[Finding]:
    """Return why a host cannot be prepared."""
    return [*interpreter(interpreter_there, host.python), *room(folder, ROOM_TO_PREPARE)]


def interpreter(facts: Interpreter, name: str) -> Iterator[Finding]:
    """Yield why no environment can be made with a host's Python."""
    oldest = ".".join(map(str, OLDEST_PYTHON))
    other = "or name another one with `python`"
    if _numbers(facts.python) < OLDEST_PYTHON:
        yield missing("Python", f"{name} is Python {facts.python}", f"install {oldest} or later, {other}")
    if not facts.has_venv:
        step = f"install it (Debian, Ubuntu: sudo apt-get install python3-venv), {other}"
        yield missing("venv", f"{name} has no module venv", step)


def room(folder: Folder, needed: int) -> Iterator[Finding]:
    """Yield why so many bytes cannot be written to a folder."""
    if folder.state == "foreign":
        yield missing("folder", f"{folder.path} is not empty and not ours", "name another one with `folder`")
    if folder.state == "closed":
        yield missing("folder", f"{folder.path} cannot be written", "name another one with `folder`")
    if folder.free_bytes < needed:
        said = f"its disk has {folder.free_bytes >> 20} MiB left for {folder.path}, of {needed >> 20} needed"
        yield missing("disk", said, "make room, or name a folder on another disk with `folder`")


def _listening(facts: Facts) -> Iterator[Finding]:
    listen = facts.listen
    if listen.failed:
        said = f"cannot listen at {listen.address} there ({listen.failed})"
        yield missing("listen", said, "set `listen` to an IP address of this host")
    for port, purpose in listen.taken.items():
        said = f"port {port} ({purpose}) is taken at {listen.address}"
        yield limited("ports", said, "end what listens there, if you can do without it")


def _prosody(host: Host, facts: Facts) -> Iterator[Finding]:
    prosody = facts.prosody
    if "server" not in host.roles:
        return
    if prosody.failed:
        yield limited("Prosody", f"its version is not known: {prosody.failed}", "try: prosodyctl about")
    elif not prosody.version:
        step = "install it (Debian, Ubuntu: sudo apt-get install prosody)"
        yield limited("Prosody", "there is no Prosody, so nothing can be measured through XMPP", step)
    elif _numbers(prosody.version) < _OLDEST_PROSODY:
        yield limited("Prosody", f"Prosody {prosody.version} is too old", "install 0.12 or later")


def _tracing(facts: Facts) -> Iterator[Finding]:
    tried = facts.formicary.tracing
    problem = facts.tracing if tried is None else tried
    if problem:
        yield limited("py-spy", f"no CPU time by group: {problem}", "run there: formicary doctor")


def _company(facts: Facts) -> Iterator[Finding]:
    machine, step = facts.machine, "measure when they rest"
    if facts.folder.running:
        yield limited("others", f"a measurement of ours runs there: {facts.folder.running[0]}", step)
    if machine.others:
        yield limited("others", f"other programs are busy there: {', '.join(machine.others)}", step)
    elif machine.load > _LOADED * machine.usable:
        yield limited("others", f"its load was {machine.load:.1f} in the last minute", step)


def clock(offset_s: float) -> Iterator[Finding]:
    """Yield a finding when a clock is far off."""
    if abs(offset_s) > _FAR_OFF:
        way = "ahead of" if offset_s > 0 else "behind"
        said = f"its clock is {_span(abs(offset_s))} {way} the controller's"
        yield limited("clock", said, "set it there: sudo timedatectl set-ntp true")


def _span(seconds: float) -> str:
    for unit, size in (("days", 86400), ("h", 3600)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def twins(seen: Iterable[Seen]) -> Iterator[tuple[Seen, Finding]]:
    """Find machines with several names; the finding is about the later one."""
    first: dict[str, str] = {}
    for one in seen:
        if one.facts is None:
            continue
        other = first.setdefault(one.facts.identity, one.host)
        if other != one.host:
            yield one, missing("machine", f"it is the same machine as {other}", "remove one of the two")


def ways(ways: Iterable[Way]) -> Iterator[tuple[str, Finding]]:
    """Yield which hosts cannot reach others, as findings by name."""
    for way in ways:
        if way.blocked:
            said = f"it does not reach {way.target} ({way.blocked})"
            step = "allow TCP between them, or set `listen` to addresses at which they reach each other"
            yield way.source, missing("network", said, step)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])
