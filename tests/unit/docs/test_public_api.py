"""The public API, compared with `public_api.txt`, whose diff shows what changes for users.

Public names are those that the modules here export, and those in the reference (docs/api.md).
"""

from __future__ import annotations

import difflib
import enum
import inspect
import pkgutil
import re
from functools import cache
from pathlib import Path
from typing import ForwardRef

import pytest
from tests.plugins.paths import ROOT

from formicary import Agent, FSMBehaviour, MicroAgent, PeriodicBehaviour, State, ThreadBehaviour
from formicary.core.definitions import _INTERNAL, _SLOTS

SNAPSHOT = Path(__file__).with_name("public_api.txt")
RENEW = "python -m tests.unit.docs.test_public_api"
ROOMS = "container directory groups live local management mobility observe protocols server testing xmpp"
EXTENDING = "extending http transport.xmpp.login transport.xmpp.stanzas"
MODULES = ("", ".behaviours", ".errors", *(f".{name}" for name in f"{EXTENDING} {ROOMS}".split()))
# Parentheses follow the names of classes that users do not instantiate.
DOCUMENTED = re.compile(
    r"^ *\.\. auto(?P<kind>class|exception|function|method|module|property):: (?P<path>formicary[.\w]*)"
    r"(?P<given>\(\))?\n(?: +:members:(?P<members>.*)\n)?",
    re.MULTILINE,
)


class Bare:
    """An annotation as in the source, since Python versions print annotations differently."""

    def __init__(self, annotation):
        self.text = getattr(annotation, "__forward_arg__", annotation)

    def __repr__(self):
        return self.text


def bare(annotation):
    return Bare(annotation) if isinstance(annotation, str | ForwardRef) else annotation


def signature(function):
    found = inspect.signature(function)
    parameters = [each.replace(annotation=bare(each.annotation)) for each in found.parameters.values()]
    return str(found.replace(parameters=parameters, return_annotation=bare(found.return_annotation)))


def described(path, is_made_by_users):
    """Return the line for a name."""
    owner, _, name = path.rpartition(".")
    value = getattr(pkgutil.resolve_name(owner), name, None)  # None: what only instances have
    if isinstance(value, property):
        return f"{path}: {inspect.signature(value.fget).return_annotation}"
    if inspect.isclass(value):
        if issubclass(value, BaseException):
            return f"class {path}({', '.join(base.__name__ for base in value.__bases__)})"
        return (
            f"class {path}{signature(value) if is_made_by_users and not issubclass(value, enum.Enum) else ''}"
        )
    if inspect.isroutine(value):
        is_async = inspect.iscoroutinefunction(value) or inspect.isasyncgenfunction(value)
        return f"{'async ' if is_async else ''}def {path}{signature(value)}"
    return path


def public_names():
    """Return all public names, and for classes whether users instantiate them."""
    for module in MODULES:
        yield from ((name, True) for name in exported_by(module))
    for kind, path, given, members in documented():
        if kind != "module":
            yield path, not given
            yield from ((f"{path}.{member}", True) for member in members)


def exported_by(module):
    """Return the full names of what a module exports."""
    return [f"formicary{module}.{name}" for name in pkgutil.resolve_name(f"formicary{module}").__all__]


@cache
def documented():
    """Return the reference's names: kind, place, whether users only get instances, and members."""
    pages = [page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md"))]
    found = []
    for each in (each for page in pages for each in DOCUMENTED.finditer(page)):
        members = re.findall(r"\w+", each["members"] or "")
        if each["members"] == "":
            value = pkgutil.resolve_name(each["path"])
            members = getattr(value, "__all__", ()) if each["kind"] == "module" else own_names(value)
        found.append((each["kind"], each["path"], bool(each["given"]), tuple(members)))
    return found


def own_names(kind):
    """Return a class's own public names."""
    ours = (vars(base) for base in kind.__mro__ if base.__module__.startswith("formicary"))
    return {name for names in ours for name in names if not name.startswith("_")}


def public_api():
    """Return a line for each public name."""
    return [described(*each) for each in sorted(dict(public_names()).items())]


@pytest.mark.accounts
def test_no_public_name_changes_unseen():
    before, now = SNAPSHOT.read_text(encoding="utf-8").splitlines(), public_api()
    changes = difflib.unified_diff(before, now, "before", "now", n=0, lineterm="")
    assert before == now, "\n".join(
        [
            f"The public API has changed. If that is meant, follow docs/api.md, and write it down: {RENEW}",
            *changes,
        ]
    )


@pytest.mark.accounts
def test_the_reference_has_what_the_public_modules_export_and_nothing_else():
    found = set()
    for kind, path, _, members in documented():
        if kind in {"class", "exception", "function"}:
            found.add(path)
        elif kind == "module":
            found |= {f"{path}.{member}" for member in members}
    exported = {name for module in MODULES for name in exported_by(module)} - {"formicary.__version__"}
    assert found <= exported
    shown = {id(pkgutil.resolve_name(path)) for path in found}  # `formicary.behaviours` repeats some
    assert [name for name in sorted(exported) if id(pkgutil.resolve_name(name)) not in shown] == []


@pytest.mark.accounts
@pytest.mark.parametrize("kind", [Agent, MicroAgent, State, FSMBehaviour, PeriodicBehaviour, ThreadBehaviour])
def test_names_of_users_classes_are_public_or_refused(kind):
    members = {}
    for _, path, _, names in documented():
        members.setdefault(pkgutil.resolve_name(path), set()).update(names)
    known = set().union(*(members.get(each, ()) for each in (*kind.__mro__, Agent)))  # as of agents
    assert {name for name in dir(kind) if name[0] != "_"} - known <= {*_INTERNAL, *_SLOTS, "responders"}


if __name__ == "__main__":
    SNAPSHOT.write_text("\n".join([*public_api(), ""]), encoding="utf-8")
