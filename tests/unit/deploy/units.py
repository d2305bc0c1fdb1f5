"""The services of deploy/systemd, read as systemd reads them."""

from __future__ import annotations

import shlex

from tests.plugins.paths import ROOT

FOLDER = ROOT / "deploy" / "systemd"
UNIT = FOLDER / "formicary@.service"
DROP_INS = ["joined.conf", "at-a-server.conf"]


def directives(*paths):
    """Give what each directive is set to, in all files together; an empty value takes commands back."""
    found = {}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            name, equals, value = line.partition("=")
            if not equals or line.startswith("#"):
                continue
            values = found.setdefault(name, [])
            if value:
                values.append(value)
            elif name.startswith("Exec"):
                values.clear()
    return found


def command(instance, *drop_ins):
    """Give the arguments of `formicary` with which an instance is started."""
    (line,) = directives(UNIT, *(FOLDER / name for name in drop_ins))["ExecStart"]
    program, *arguments = shlex.split(line.replace("%i", instance))
    assert program == "/opt/formicary/bin/formicary"
    return arguments
