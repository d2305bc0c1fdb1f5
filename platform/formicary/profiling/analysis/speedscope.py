"""A profile as a file for speedscope, https://www.speedscope.app: one profile for each thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from formicary.profiling.analysis.attribution import stack_seconds

if TYPE_CHECKING:
    from formicary.profiling.model.groups import Rules
    from formicary.profiling.model.profile import Process, Profile

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def speedscope(profile: Profile, rules: Rules) -> bytes:
    """Return the JSON: CPU seconds, weighted as in the tables; each stack ends in its group's name."""
    names = rules.names()
    frames: list[dict[str, Any]] = [
        {"name": frame.function, "file": frame.file, "line": frame.line} for frame in profile.frames
    ]
    groups = {name: len(frames) + place for place, name in enumerate(names)}
    frames += [{"name": f"[{name}]"} for name in names]
    threads = []
    for process in profile.processes:
        threads += _threads(process, profile, rules, groups)
    return msgspec.json.encode(
        {
            "$schema": _SCHEMA,
            "name": f"formicary profile of {profile.host}",
            "exporter": "formicary",
            "shared": {"frames": frames},
            "profiles": threads,
        }
    )


def _threads(
    process: Process, profile: Profile, rules: Rules, groups: dict[str, int]
) -> list[dict[str, Any]]:
    names = {thread.tid: thread.name for thread in process.threads}
    found: dict[int, dict[str, Any]] = {}
    for stack, seconds in stack_seconds(process, profile.rate_hz):
        thread = found.setdefault(
            stack.tid,
            {
                "type": "sampled",
                "name": f"{names.get(stack.tid, stack.tid)} ({process.pid}/{stack.tid})",
                "unit": "seconds",
                "startValue": 0,
                "endValue": 0.0,
                "samples": [],
                "weights": [],
            },
        )
        group = rules.group_of_stack([profile.frames[place] for place in stack.frames])
        thread["samples"].append([*stack.frames, groups[group]])
        thread["weights"].append(seconds)
        thread["endValue"] += seconds
    return list(found.values())
