"""The group of a frame: as its package declares, otherwise by rules, tried in order."""

from __future__ import annotations

import re
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal, NamedTuple
from zlib import crc32

from formicary.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary.profiling.model.profile import Frame

_INSTALLED = re.compile(r".*/(?:site|dist)-packages/(.+)")
_STANDARD = re.compile(r".*/lib(?:64)?/(?:python|pypy)3(?:\.\d+)?/(.+)|(?i:.*\\lib\\)(.+)")
_FROZEN = re.compile(r"<frozen (.+)>")


@lru_cache(maxsize=10_000)
def module_of(file: str) -> str:
    """Return a file's module, such as `formicary.transport.link.link`; for a script, its name without `.py`.

    Installed files are named by location; for others, folders with an `__init__.py` are packages. The
    interpreter's frozen modules have their own names.

    Args:
        file: as in a code object.
    """
    if frozen := _FROZEN.fullmatch(file):
        return frozen[1]
    if file.startswith("<"):
        return file
    path = PurePath(file)
    inside = _INSTALLED.fullmatch(file) or _STANDARD.fullmatch(file)
    if inside:
        parts = list(PurePath(inside[1] or inside[2]).with_suffix("").parts)
    else:
        parts = [path.stem]
        for folder in Path(file).parents:
            if not (folder / "__init__.py").is_file():
                break
            parts.insert(0, folder.name)
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


@lru_cache(maxsize=10_000)
def is_library(file: str) -> bool:
    """Return whether a file belongs to the interpreter or an installed library, not a user's program."""
    return bool(_FROZEN.fullmatch(file) or _INSTALLED.fullmatch(file) or _STANDARD.fullmatch(file))


@lru_cache(maxsize=10_000)
def is_native(file: str) -> bool:
    """Return whether frames of this file are machine code, by its name."""
    return not file.startswith("<") and PurePath(file).suffix not in {".py", ".pyw"}


class Group(StrEnum):
    """What CPU time is spent on. Users can add their own."""

    RUNTIME = "runtime"
    AGENTS = "agents"
    COMMUNICATION = "communication"
    DIRECTORY = "directory"
    PLATFORM = "platform"
    SERVER = "server"


_GROUPS = frozenset(map(str, Group))

NATIVE = "native threads"
"""Time of threads that are not Python's, such as those of a linear algebra library, whose work cannot be
attributed. The group exists only if there are such threads."""

PAPERS: dict[str, str] = {
    Group.RUNTIME: "jvm",
    Group.AGENTS: "mas",
    Group.COMMUNICATION: "com",
    Group.DIRECTORY: "sds",
    Group.PLATFORM: "map",
}
"""The groups' names in Alberola et al. (2010), who had no server."""

_COLOURS: dict[str, str] = {
    Group.RUNTIME: "#8a8f98",
    Group.AGENTS: "#3b8eea",
    Group.COMMUNICATION: "#e8833a",
    Group.DIRECTORY: "#46a758",
    Group.PLATFORM: "#b565d8",
    Group.SERVER: "#d9534f",
    NATIVE: "#5f6b7a",
}
_OTHER_COLOURS = ("#c9a227", "#2aa198", "#d33682", "#6c71c4", "#859900", "#a0522d")


def colour(group: str) -> str:
    """Return a group's colour as `#rrggbb`; the same each time for a user's own group."""
    return _COLOURS.get(group) or _OTHER_COLOURS[crc32(group.encode()) % len(_OTHER_COLOURS)]


Kind = Literal["module", "function", "library", "process"]


class Rule(NamedTuple):
    """A rule that assigns code to a group.

    Attributes:
        group: the group's name.
        kind: `module`: Python modules; `function`: single functions of a module, as `module:function`;
            `library`: machine code, by file name (only with `--native`), or a function in it, as
            `library:function`; `process`: whole processes, by program name.
        pattern: a shell pattern. For modules, `name.*` includes `name` itself.
        why: a short reason, for the printed table.
    """

    group: str
    kind: Kind
    pattern: str
    why: str = ""


RULES: tuple[Rule, ...] = (
    Rule(Group.SERVER, "process", "prosody*", "the XMPP server"),
    Rule(Group.SERVER, "process", "lua*", "what the XMPP server is written in"),
    Rule(Group.SERVER, "process", "beam*", "the XMPP server ejabberd"),
    Rule(Group.RUNTIME, "library", "*:gc_collect*", "the garbage collector"),
    Rule(Group.RUNTIME, "library", "*:gc_alloc*", "the garbage collector"),
    Rule(Group.COMMUNICATION, "library", "libssl*", "TLS"),
    Rule(Group.COMMUNICATION, "library", "_ssl.*", "TLS"),
    Rule(Group.COMMUNICATION, "library", "pyexpat*", "XML"),
    Rule(Group.COMMUNICATION, "library", "libexpat*", "XML"),
    # Code that a pool's thread calls directly is a submitted job, not the pool's own work.
    Rule(Group.AGENTS, "function", "concurrent.futures.thread:_WorkItem.run", "a job in an executor"),
    Rule(Group.AGENTS, "function", "threading:Thread.run", "a thread of the agents' own"),
    Rule(Group.COMMUNICATION, "module", "asyncio.sslproto", "TLS"),
    Rule(Group.COMMUNICATION, "module", "ssl", "TLS"),
    Rule(Group.COMMUNICATION, "module", "aioxmpp.*", "an XMPP library"),
    Rule(Group.COMMUNICATION, "module", "aiosasl.*", "an XMPP library"),
    Rule(Group.COMMUNICATION, "module", "slixmpp.*", "an XMPP library"),
    Rule(Group.COMMUNICATION, "module", "xml.*", "XML"),
    Rule(Group.RUNTIME, "module", "asyncio.*", "the event loop"),
    Rule(Group.RUNTIME, "module", "uvloop.*", "the event loop"),
    Rule(Group.RUNTIME, "module", "selectors", "the event loop"),
    Rule(Group.RUNTIME, "module", "concurrent.futures.*", "pools"),
    Rule(Group.RUNTIME, "module", "multiprocessing.*", "pools"),
    Rule(Group.RUNTIME, "module", "threading", "threads"),
    Rule(Group.RUNTIME, "module", "importlib.*", "imports"),
    Rule(Group.RUNTIME, "module", "zipimport", "imports"),
    Rule(Group.RUNTIME, "module", "runpy", "starting a program"),
)
"""Rules for code that declares no group (see `declarations`); a user's own rules precede all. For the rest: a
user's program is `agents`; libraries and machine code belong to their callers; a stack with no known frame is
`runtime`."""

_FORMER = "in profiles of former versions"
FORMER: tuple[Rule, ...] = (
    Rule(Group.RUNTIME, "module", "formicary.profiling.*", _FORMER),
    Rule(Group.COMMUNICATION, "module", "formicary.transport.*", _FORMER),
    Rule(Group.COMMUNICATION, "module", "formicary.accounts.*", _FORMER),
    Rule(Group.COMMUNICATION, "module", "formicary.xmpp_agent", _FORMER),
    Rule(Group.DIRECTORY, "module", "formicary.directory.*", _FORMER),
    Rule(Group.PLATFORM, "module", "formicary.*", _FORMER),
)
"""The rules from before packages declared groups, for profiles whose frames have none."""


def own_rule(text: str) -> Rule:
    """Return the rule of an option `--group NAME=PATTERN`.

    Raises:
        UsageError: it has another form.
    """
    group, _, pattern = (part.strip() for part in text.partition("="))
    if not pattern or not re.fullmatch(r"\w[\w-]*", group):
        raise UsageError(
            f"--group {text!r} is not NAME=PATTERN; use a pattern of modules, such as --group "
            "'planner=my_planner.*', or of functions, such as my_planner:solve"
        )
    for kind in ("process", "library"):
        if pattern.startswith(f"{kind}:"):
            return Rule(group, kind, pattern.removeprefix(f"{kind}:"), "yours")
    return Rule(group, "function" if ":" in pattern else "module", pattern, "yours")


class Rules:
    """Assigns stacks to groups.

    Args:
        own: a user's rules; tried before packages' declarations.
        former: rules like `FORMER`, for a user's own packages.
    """

    def __init__(self, own: Iterable[Rule] = (), former: Iterable[Rule] = ()) -> None:
        self.own = tuple(own)
        self.others = (*RULES, *FORMER, *former)
        self.group_of = lru_cache(maxsize=50_000)(self._group_of)

    def names(self) -> list[str]:
        """Return the groups' names: built-in ones first, then the user's."""
        return list(dict.fromkeys([*map(str, Group), *(rule.group for rule in self.own)]))

    def group_of_stack(self, frames: Sequence[Frame]) -> str:
        """Return the group of the innermost frame that matches a rule.

        Args:
            frames: outermost first.
        """
        for place in range(len(frames) - 1, -1, -1):
            group = self.group_of(frames[place])
            if group is None:
                continue
            is_module = frames[place].function == "<module>" and place > 0
            if is_module and module_of(frames[place - 1].file).startswith("importlib."):
                return Group.RUNTIME
            return group
        return Group.RUNTIME

    def group_of_process(self, program: str) -> str | None:
        """Return the group of a process that is not sampled; None if no rule matches."""
        rules = (*self.own, *self.others)
        return next((r.group for r in rules if r.kind == "process" and fnmatchcase(program, r.pattern)), None)

    def _group_of(self, frame: Frame) -> str | None:
        if not frame.file:
            return None
        native = is_native(frame.file)
        module = "" if native else module_of(frame.file)
        library = PurePath(frame.file).name if native else ""

        def first(rules: Iterable[Rule]) -> str:
            return next((rule.group for rule in rules if _matches(rule, module, library, frame.function)), "")

        declared = frame.group if frame.group in _GROUPS else ""
        if group := first(self.own) or declared or first(self.others):
            return group
        return None if native or is_library(frame.file) else Group.AGENTS


def _matches(rule: Rule, module: str, library: str, function: str) -> bool:
    match rule.kind:
        case "module":
            whole = rule.pattern.removesuffix(".*")
            return fnmatchcase(module, rule.pattern) or (whole != rule.pattern and fnmatchcase(module, whole))
        case "function":
            return fnmatchcase(f"{module}:{function}", rule.pattern)
        case "library":
            name = f"{library}:{function}" if ":" in rule.pattern else library
            return bool(library) and fnmatchcase(name, rule.pattern)
    return False
