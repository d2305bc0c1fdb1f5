"""The public API, held against `public_api.txt`: its diff shows what a change does to programs of users.

Public is what the modules here export, and what the reference (docs/api.md) has.
"""

from __future__ import annotations

import difflib
import enum
import inspect
import pkgutil
import re
from pathlib import Path
from typing import ForwardRef

import pytest
from tests.plugins.paths import ROOT

SNAPSHOT = Path(__file__).with_name("public_api.txt")
RENEW = "python -m tests.unit.docs.test_public_api"
MODULES = ("", ".behaviours", ".errors", ".extending", ".http", ".protocols", ".server", ".testing")
# Behind the name of a class that users do not make themselves are parentheses.
DOCUMENTED = re.compile(
    r"^ *\.\. auto(?:class|exception|function|method|property):: (?P<path>formicary[.\w]*)(?P<given>\(\))?\n"
    r"(?: +:members:(?P<members>.*)\n)?",
    re.MULTILINE,
)


class Bare:
    """An annotation as it stands in the source, which the versions of Python would show in several ways."""

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
    """Give the line for a name."""
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
    """Give all that is public, and whether users make it if it is a class."""
    for module in MODULES:
        yield from (
            (f"formicary{module}.{name}", True) for name in pkgutil.resolve_name(f"formicary{module}").__all__
        )
    for found in DOCUMENTED.finditer((ROOT / "docs" / "api.md").read_text(encoding="utf-8")):
        yield found["path"], not found["given"]
        if found["members"] is not None:
            members = re.findall(r"\w+", found["members"]) or own_names(pkgutil.resolve_name(found["path"]))
            yield from ((f"{found['path']}.{member}", True) for member in members)


def own_names(kind):
    """Give what a class has that is public, and of ours."""
    ours = (vars(base) for base in kind.__mro__ if base.__module__.startswith("formicary"))
    return {name for names in ours for name in names if not name.startswith("_")}


def public_api():
    """Give a line for each public name."""
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


if __name__ == "__main__":
    SNAPSHOT.write_text("\n".join([*public_api(), ""]), encoding="utf-8")
