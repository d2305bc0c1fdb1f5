"""Hosts as a check sees them, made up."""

from __future__ import annotations

import msgspec

from formicary_bench.remote.checks.facts import Facts, Seen
from formicary_bench.remote.inventory import Host

VERSION, DIGEST = "1.2.3", "d" * 64

FACTS = {
    "python": "3.11.2",
    "kind": "cpython-311-x86_64-linux-gnu",
    "libc": ["glibc", "2.36"],
    "has_venv": True,
    "markers": {"python_version": "3.11", "sys_platform": "linux", "platform_machine": "x86_64"},
    "folder": {"path": "/home/x/ours", "state": "ours", "free_bytes": 50 << 30, "record": {}, "running": []},
    "formicary": {"python": "3.11.2", "version": VERSION, "digest": DIGEST, "tracing": ""},
    "prosody": {"version": "0.12.3"},
    "listen": {"address": "192.0.2.1", "taken": {}},
    "machine": {
        "cores": 8,
        "usable": 8,
        "load": 0.1,
        "memory_bytes": 16 << 30,
        "others": [],
    },
    "identity": "boot 1",
    "tracing": "",
}


def facts(**changed):
    """Return the facts of a flawless host, with some changes."""
    changes = {
        name: {**FACTS[name], **new} if isinstance(new, dict) else new for name, new in changed.items()
    }
    return msgspec.convert({**FACTS, **changes}, Facts)


def host(**changed):
    """Return a host of an inventory."""
    return Host(name="a", address="192.0.2.1", **changed)


def seen(name="a", **changed):
    """Return a host after a check."""
    return Seen(host=name, reached_ms=12.3, offset_s=-0.0015, uncertainty_s=0.0002, facts=facts(**changed))
