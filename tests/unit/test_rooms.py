"""The house is as docs/design.md draws it: each room imports only those below it."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest
from tests.plugins.paths import ROOT
from tests.unit.docs.test_public_api import public_names

DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
SOURCES = {"formicary": ROOT / "platform", "formicary_bench": ROOT / "benchmarks"}
TITLES = {"formicary": "### The platform", "formicary_bench": "### The laboratory"}

# They only have names of what is below, or begin it.
PUBLIC = {f"formicary{name}" for name in ("", ".errors", ".behaviours", ".extending", ".__main__")}
EDGE = ("gateway", "spade", "xmpp")  # rooms that are built as extensions of others are
CALLED = (ast.FunctionDef, ast.AsyncFunctionDef)  # what they import is loaded once an experiment is played


def rooms(package):
    """Return the rooms of a package, the highest first."""
    _, _, text = DESIGN.partition(TITLES[package])
    table = re.search(r"\n\| room \|.*?\n((?:\|.*\n)+)", text)[1]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


@cache
def modules():
    """Return all modules with their files."""
    found = {}
    for package, source in SOURCES.items():
        for path in (source / package).rglob("*.py"):
            if "drivers/python" not in str(path):  # they are copied, and run elsewhere
                name = ".".join(path.relative_to(source).with_suffix("").parts)
                found[name.removesuffix(".__init__")] = path
    return found


def is_for_types(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def statements(node, beyond=()):
    """Walk through all that runs, also inside functions; not what only type checkers read."""
    for child in ast.iter_child_nodes(node):
        if not is_for_types(child) and not isinstance(child, beyond):
            yield child
            yield from statements(child, beyond)


@cache
def imports(module, beyond=()):
    """Return which modules of ours a module imports, statements of the kinds `beyond` apart."""
    known = modules()
    found = set()
    for node in statements(ast.parse(known[module].read_text(encoding="utf-8")), beyond):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in known else node.module)
    return found & known.keys()


def room_of(module):
    return ".".join(module.split(".")[:2])


def in_rooms(package):
    """Return the modules that are in one of a package's rooms."""
    return [name for name in modules() if name.startswith(f"{package}.") and name not in PUBLIC]


@pytest.mark.parametrize("package", SOURCES)
def test_the_tables_name_every_room(package):
    assert sorted(rooms(package)) == sorted({name.split(".")[1] for name in in_rooms(package)})


@pytest.mark.parametrize("package", SOURCES)
def test_each_room_imports_only_those_below_it(package):
    height = {f"{package}.{room}": -number for number, room in enumerate(rooms(package))}
    upward = {
        f"{module} imports {imported}"
        for module in in_rooms(package)
        for imported in imports(module) & {*in_rooms(package)}
        if height[room_of(imported)] > height[room_of(module)] and imported not in declared()
    }
    assert sorted(upward) == []


def test_the_platform_knows_nothing_of_its_laboratory():
    platform = [module for module in modules() if module.split(".")[0] == "formicary"]
    assert not any(name.startswith("formicary_bench") for module in platform for name in imports(module))


@pytest.mark.parametrize("room", EDGE)
def test_a_room_at_the_edge_imports_public_names_only(room):
    public, own = {name for name, _ in public_names()}, f"formicary.{room}"
    beyond = {
        f"{module} imports {name}"
        for module, path in modules().items()
        if room_of(module) == own
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (f"{getattr(node, 'module', '')}.{alias.name}".lstrip(".") for alias in node.names)
        if name.startswith("formicary.") and room_of(name) != own and name not in public
    }
    assert sorted(beyond) == []


@cache
def declared():
    """Return what says which experiments there are and what runs take of them, not how they are measured."""
    found, new = set(), {f"formicary_bench.experiments.{name}" for name in ("registry", "selections")}
    while new:
        found |= new
        new = {name for module in new for name in imports(module, CALLED) if ".experiments" in name} - found
    return found


def test_experiments_are_declared_by_common_words_alone():
    beyond = {
        f"{module} imports {imported}"
        for module in declared()
        for imported in imports(module, CALLED)
        if room_of(imported) not in {"formicary_bench.experiments", "formicary_bench.vocabulary"}
    }
    assert sorted(beyond) == []
