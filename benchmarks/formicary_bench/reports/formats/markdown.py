"""A run as Markdown, with tables as GitHub and most other renderers know them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formicary.core.quoting import printable
from formicary_bench.reports.document.claims import TITLE, claims_said, references
from formicary_bench.reports.formats.terminal import left_out, partial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from formicary_bench.reports.document.sections import Document, Section
    from formicary_bench.reports.document.tables import Column

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")
_LIST = re.compile(r"^(\s*)([-+]|\d+[.)])(?=\s)")


def write(document: Document, stream: TextIO) -> None:
    stream.write(render(document))


def render(document: Document) -> str:
    blocks = [*_head(document), *(block for section in document.sections for block in _section(section))]
    if said := claims_said(document.cards):
        blocks += [f"## {TITLE}", "\n".join(f"- {_escape(sentence)}" for sentence in said)]
    if known := references("\n".join(blocks)):
        blocks += ["### References", "\n".join(f"- {_escape(reference)}" for reference in known)]
    return "\n\n".join(blocks) + "\n"


def _head(document: Document) -> Iterator[str]:
    manifest, trust = document.run.manifest, document.trust
    yield f"# {_escape(document.run.path.resolve().name)}"
    yield f"> **Reliability.** {_escape(trust.sentence)}"
    facts = (
        manifest.started.strftime("%Y-%m-%d %H:%M %Z"),
        manifest.machine.host,
        manifest.machine.cpu,
        manifest.machine.python,
        manifest.machine.loop,
        f"Formicary {manifest.formicary}",
    )
    yield _escape(", ".join(fact for fact in facts if fact))
    yield f"Hash of the run: `{document.hash}`"
    if not manifest.complete:
        yield f"> **Partial.** {_escape(partial(manifest))}"
    if manifest.left_out:
        yield f"> **Left out.** {_escape(left_out(manifest))}"
    if not manifest.repetitions:
        yield "Nothing has been measured yet."


def _section(section: Section) -> Iterator[str]:
    yield f"## {_escape(section.heading)}"
    if section.sentences:
        yield "\n".join(f"- {_escape(sentence)}" for sentence in section.sentences)
    for remark in section.remarks:
        yield f"> {_escape(remark)}"
    yield _table(section.columns)
    for extra in section.extras:
        yield f"### {_escape(extra.title)}"
        if extra.remark:
            yield _escape(extra.remark)
        yield _table(extra.columns)


def _table(columns: Sequence[Column]) -> str:
    lines = [
        [_escape(column.title) for column in columns],
        [":---" if column.names else "---:" for column in columns],
        *([_escape(cell) for cell in line] for line in zip(*(one.cells for one in columns), strict=True)),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escape(text: str) -> str:
    """Return a text verbatim: no name in a folder may become a link, markup or a further cell."""
    escaped = _SPECIAL.sub(r"\\\1", printable(text))
    return _LIST.sub(lambda found: f"{found[1]}{found[2][:-1]}\\{found[2][-1]}", escaped)
