r"""A run's tables as LaTeX, to be taken into a paper by `\input`; they need the package `booktabs`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from formicary.quoting import printable
from formicary_bench.reports.terminal import partial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.reports.sections import Section
    from formicary_bench.reports.tables import Column
    from formicary_bench.results.folder import RunFolder

_MOST_LINES = 40
"""How many lines of a table fit on a page; longer ones go on in another, as no table is broken."""

_FITTING = r"""\maxdeadcycles=1000\relax\extrafloats{500}
\providecommand{\formicarytable}[1]{%
  \setbox0\hbox{\footnotesize\setlength{\tabcolsep}{4pt}#1}%
  \ifdim\wd0>\linewidth\setbox0\hbox{\scriptsize\setlength{\tabcolsep}{3pt}#1}\fi
  \ifdim\wd0>\linewidth\setbox0\hbox{\tiny\setlength{\tabcolsep}{1pt}#1}\fi
  \leavevmode\box0 }"""
"""A command that sets a table in the largest of three sizes in which it is no wider than the text; and leave
for more tables than TeX expects to wait for a page."""

_LETTERS = {
    **{letter: f"\\{letter}" for letter in "#$%&_{}"},
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", '"': "{''}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "\N{MICRO SIGN}": r"$\mu$",
    "±": r"$\pm$", "\N{MULTIPLICATION SIGN}": r"$\times$", "·": r"$\cdot$", "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--", "—": "---", "\N{RIGHT SINGLE QUOTATION MARK}": "'", "“": "``", "”": "''",
    "→": r"$\rightarrow$", "…": r"\ldots{}", "\N{NO-BREAK SPACE}": "~", "[": "{[}", "*": "{*}",
}  # fmt: skip
_JOINED = frozenset("-`',?!")
"""Signs of which LaTeX makes one of two: dashes, quotes and others."""


def render(run: RunFolder, sections: Sequence[Section]) -> str:
    """Give the tables of a run as LaTeX.

    Args:
        run: The run.
        sections: What is shown of each experiment.
    """
    blocks = [*_head(run), *(block for section in sections for block in _section(section))]
    return "\n\n".join(blocks) + "\n"


def _head(run: RunFolder) -> Iterator[str]:
    manifest = run.manifest
    name = _comment(run.path.resolve().name)
    yield (
        f"% Run {name} of {manifest.started:%Y-%m-%d}, by Formicary {_comment(manifest.formicary)}.\n"
        "% In the document's preamble: \\usepackage{booktabs}"
    )
    yield _FITTING
    if not manifest.complete:
        yield f"\\noindent\\textbf{{Partial.}} {_escape(partial(manifest))}"
    if manifest.left_out:
        yield f"\\noindent\\textbf{{Left out.}} {_escape(manifest.left_out)}"
    if not manifest.repetitions:
        yield "Nothing has been measured yet."


def _section(section: Section) -> Iterator[str]:
    remarks = [_escape(remark) for remark in section.remarks]
    yield from _tables(section.heading, section.columns, remarks)
    if section.ratios:
        yield from _tables(f"{section.title}: held against what else was measured", section.ratios)
    for extra in section.extras:
        about = [_escape(extra.remark)] if extra.remark else []
        yield from _tables(f"{section.title}: {extra.title}", extra.columns, about)


def _tables(title: str, columns: Sequence[Column], remarks: Sequence[str] = ()) -> Iterator[str]:
    """Give a table; as several, each of a page at most, if it is long."""
    columns = [column for column in columns if not column.minor]
    lines = list(zip(*(column.cells for column in columns), strict=True))
    for begin in range(0, max(len(lines), 1), _MOST_LINES):
        caption = title if not begin else f"{title} (continued)"
        last = begin + _MOST_LINES >= len(lines)
        yield _table(caption, columns, lines[begin : begin + _MOST_LINES], remarks if last else ())


def _table(
    title: str, columns: Sequence[Column], lines: Sequence[Sequence[str]], remarks: Sequence[str]
) -> str:
    alignment = "".join("l" if one.names else "r" for one in columns)
    heads = " & ".join(_escape(column.title) for column in columns)
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering\footnotesize",
            f"\\caption{{{_escape(title)}}}",
            f"\\formicarytable{{\\begin{{tabular}}{{@{{}}{alignment}@{{}}}}",
            r"\toprule",
            f"{heads} \\\\",
            r"\midrule",
            *(f"{' & '.join(map(_escape, line))} \\\\" for line in lines),
            r"\bottomrule",
            r"\end{tabular}}",
            *(f"\n\\smallskip\\parbox{{\\linewidth}}{{{remark}}}" for remark in remarks),
            r"\end{table}",
        ]
    )


def _escape(text: str) -> str:
    """Give a text as it stands: no name in a folder may become a command."""
    shown = printable(text)
    return "".join(
        _letter(letter) + ("{}" if {letter, after} <= _JOINED else "")
        for letter, after in pairwise(f"{shown} ")
    )


def _letter(letter: str) -> str:
    """Give a letter; what LaTeX's usual fonts do not have would stop it, and is named instead."""
    known = letter.isascii() or ("À" <= letter <= "ÿ" and letter not in "ÐÞðþ")
    return _LETTERS.get(letter) or (letter if known else f"[U+{ord(letter):04X}]")


def _comment(text: str) -> str:
    return printable(text).encode("ascii", "backslashreplace").decode()
