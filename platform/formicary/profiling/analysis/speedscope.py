"""A profile as a file for speedscope, https://www.speedscope.app: one profile for each thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from formicary.profiling.analysis.attribution import thread_seconds

if TYPE_CHECKING:
    from formicary.profiling.model.groups import Rules
    from formicary.profiling.model.profile import Process, Profile, Stack

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def speedscope(profile: Profile, rules: Rules) -> bytes:
    """Return the JSON: CPU seconds, weighted as in the figures; each stack ends in its group's name."""
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
    seconds = thread_seconds(process, profile.rate_hz) if process.stacks else {}
    by_tid: dict[int, list[Stack]] = {}
    for stack in process.stacks:
        by_tid.setdefault(stack.tid, []).append(stack)
    names = {thread.tid: thread.name for thread in process.threads}
    found = []
    for tid, stacks in by_tid.items():
        count = sum(stack.count for stack in stacks)
        weights = [seconds.get(tid, 0.0) * stack.count / count for stack in stacks]
        samples = []
        for stack in stacks:
            group = rules.group_of_stack([profile.frames[place] for place in stack.frames])
            samples.append([*stack.frames, groups[group]])
        found.append(
            {
                "type": "sampled",
                "name": f"{names.get(tid, tid)} ({process.pid}/{tid})",
                "unit": "seconds",
                "startValue": 0,
                "endValue": sum(weights),
                "samples": samples,
                "weights": weights,
            }
        )
    return found
