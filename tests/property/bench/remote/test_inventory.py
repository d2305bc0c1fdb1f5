"""Inventories: round trips, the line of each key, and arbitrary text."""

from __future__ import annotations

import json
import string
import tempfile
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.searches import at_first

from formicary.core import names
from formicary.errors import UsageError
from formicary_bench.files.toml_lines import lines_of
from formicary_bench.remote.inventory import CONTAINERS, SERVER, Host, Inventory, load

LABELS = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True).filter(names.is_container)
PRINTABLE = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=8)


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory(prefix="formicary-inventory-") as path:
        for name in ("key", "known hosts"):
            Path(path, name).touch()
        yield Path(path)


# Any text


WORDS = st.sampled_from(
    [
        *"[]{}=.,#\"'\n\n\n",
        '"""',
        "'''",
        *[
            "hosts",
            "[hosts.a]\n",
            "[hosts.b]\n",
            "[defaults]\n",
            "address",
            'address = "a"\n',
            "port = ",
            "22",
        ],
        *[
            "jump = ",
            "roles = ",
            "groups = ",
            "environment",
            "key = ",
            '"server"',
            "true",
            "1979-05-27",
            "\\",
        ],
        *["a", "b.c", " ", "\t", "\r\n", "\0", "é", "0x" + "f" * 4000, "[" * 200, "x." * 200],
    ]
)


@given(st.one_of(st.binary(), st.text().map(str.encode), st.lists(WORDS).map(lambda w: "".join(w).encode())))
def test_any_file_is_an_inventory_or_refused_in_sentences(folder, content):
    path = folder / "any.toml"
    path.write_bytes(content)
    found, said = loaded(path)
    assert found.hosts if found else said.startswith(str(path))
    assert all(line.isprintable() for line in said.split("\n"))


def loaded(path):
    """Return the inventory, or the error."""
    try:
        return load(path), ""
    except UsageError as error:
        return None, str(error)


# What is written is read


@st.composite
def tables(draw, others):
    """Return a strategy for a host's table, after these other hosts."""
    path = st.from_regex(r"(/|~/)[a-z]{1,5}(/[a-z é]{1,5}x)?", fullmatch=True)
    optional = {
        "port": st.integers(1, 65535),
        "user": st.from_regex(r"[a-z_][a-z0-9_-]{0,8}", fullmatch=True),
        "key": st.just("key"),
        "known_hosts": st.just("known hosts"),
        "python": st.sampled_from(["python3", "~/py/bin/python", "/opt/a b/python"]),
        "venv": path,
        "folder": path,
        "roles": st.lists(st.sampled_from([CONTAINERS, SERVER]), unique=True).map(
            lambda roles: list(dict.fromkeys([CONTAINERS, *roles]))
        ),
        "groups": st.lists(LABELS.map(lambda label: f"group-{label}"), unique=True),
        "environment": st.dictionaries(st.from_regex(r"[A-Za-z_][A-Z0-9_]{0,5}", fullmatch=True), PRINTABLE),
        "interface": st.sampled_from(["eth0", "wlp0s20f3", "br-lan", "eth0.100"]),
        "listen": st.ip_addresses(v=4).map(str).filter(lambda text: not text.startswith(("0.", "2"))),
    }
    if others:
        optional["jump"] = st.sampled_from(others)
    return draw(st.fixed_dictionaries({}, optional=optional))


@st.composite
def inventories(draw):
    found = {}
    for name in draw(st.lists(LABELS, min_size=1, max_size=4, unique=True)):
        # The address is the name: no host is there twice.
        found[name] = {"address": f"{name}.example"} | draw(tables([*found]))
    return found


def written(value):
    """Return a value in TOML, which differs from JSON in tables and one character."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {written(one)}" for key, one in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


@at_first(40)
@given(inventories(), st.booleans())
def test_a_written_inventory_reads_back_the_same(folder, tables, is_inline):
    path = folder / "written.toml"
    lines = []
    for name, table in tables.items():
        if is_inline:
            lines.append(f"hosts.{name} = {written(table)}")
            continue
        lines += [f"[hosts.{name}]", *(f"{key} = {written(value)}" for key, value in table.items())]
    path.write_text("\n".join(lines), encoding="utf-8")
    expected = []
    for name, table in tables.items():
        files = {key: folder / table[key] for key in ("key", "known_hosts") if key in table}
        lists = {key: tuple(table[key]) for key in ("roles", "groups") if key in table}
        header = f"hosts.{name} = " if is_inline else f"[hosts.{name}]"
        (line,) = (number for number, text in enumerate(lines, 1) if text.startswith(header))
        expected.append(Host(**(table | files | lists), name=name, line=line))
    assert load(path) == Inventory(str(path), tuple(expected))


# Lines of keys


KEYS = st.one_of(
    st.text(string.ascii_letters + string.digits + "-_", min_size=1, max_size=3),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
)
SCALARS = st.sampled_from(
    [
        "1",
        "true",
        "1979-05-27 07:32:00",
        '"a # [b] = {c}\\""',
        "'\"'",
        "0.5",
        '"""x\n[y]\n= \\""" z"""""',
        "''''a'\n'b'''",
    ]
)


def _written(parts):
    bare = set(string.ascii_letters + string.digits + "-_")
    return " . ".join(part if part and set(part) <= bare else written(part) for part in parts)


class Writer:
    """Composes a file, and records the line of each key.

    Args:
        draw: chooses.
    """

    def __init__(self, draw):
        self._draw = draw
        self.text, self.lines = "", {}

    def table(self, is_first):
        within = ()
        if not is_first:
            within = self._new_key(())
            header = f"[ {_written(within)} ]" if self._draw(st.booleans()) else f"[[{_written(within)}]]"
            self.text += header + self._draw(st.sampled_from(["\n", " # = [x]\n", "\r\n"]))
        for _ in range(self._draw(st.integers(0, 3))):
            self._entry(within, 2)
            self.text += self._draw(st.sampled_from(["\n", " # a = 1\n", "\n\n", "\r\n"]))

    def _entry(self, within, depth):
        path = self._new_key(within)
        if self._draw(st.booleans()):
            path = self._new_key(path)
        self.text += _written(path[len(within) :]) + self._draw(st.sampled_from(["=", " = "]))
        self._value(path, depth)

    def _value(self, path, depth):
        kind = self._draw(st.sampled_from(["scalar", "table", "list"])) if depth else "scalar"
        if kind == "scalar":
            self.text += self._draw(SCALARS)
        elif kind == "table":
            self._inline_table(path, depth)
        else:
            self._list(path, depth)

    def _inline_table(self, path, depth):
        self.text += "{"
        for number in range(self._draw(st.integers(0, 3))):
            self.text += ", " if number else " "
            self._entry(path, depth - 1)
        self.text += "}"

    def _list(self, path, depth):
        self.text += "["
        for _ in range(self._draw(st.integers(0, 3))):
            self.text += self._draw(st.sampled_from(["\n", " ", "# ]\n"]))
            self._value(path, depth - 1)
            self.text += self._draw(st.sampled_from([",", " ,", "\n,"]))
        self.text += "]"

    def _new_key(self, within):
        key = self._draw(KEYS.filter(lambda key: (*within, key) not in self.lines))
        path = (*within, key)
        self.lines[path] = self.text.count("\n") + 1
        return path


@st.composite
def documents(draw):
    """Return a text, and the line of each key in it."""
    writer = Writer(draw)
    for number in range(draw(st.integers(1, 4))):
        writer.table(is_first=number == 0)
    return writer.text, writer.lines


@at_first(40)
@given(documents())
def test_the_line_of_each_key_is_found(document):
    text, expected = document
    tomllib.loads(text)  # or it would say nothing
    assert lines_of(text) == expected
