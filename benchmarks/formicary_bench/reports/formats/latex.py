r"""A run's tables and figures as LaTeX, to be taken into a paper by `\input`.

They need the packages `booktabs` and `graphicx`. The figures are the charts as PDF, in files of their own;
LaTeX prints the name of a missing one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from formicary.core.quoting import printable
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.printing import stem
from formicary_bench.reports.document.claims import TITLE, claims_said, references
from formicary_bench.reports.formats.fitting import pages
from formicary_bench.reports.formats.terminal import left_out, partial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from formicary_bench.reports.document.sections import Document, Section
    from formicary_bench.reports.document.tables import Column
    from formicary_bench.reports.formats.fitting import Cell, Page

_FITTING = r"""\maxdeadcycles=1000\relax\extrafloats{500}
\providecommand{\formicarytable}[1]{%
  \setbox0\hbox{\footnotesize\setlength{\tabcolsep}{4pt}#1}%
  \ifdim\wd0>\linewidth\setbox0\hbox{\scriptsize\setlength{\tabcolsep}{3pt}#1}\fi
  \ifdim\wd0>\linewidth\setbox0\hbox{\tiny\setlength{\tabcolsep}{1pt}#1}\fi
  \leavevmode\box0 }"""
"""A command that sets a table in the largest of three sizes that fits the text width; and room for more
tables than TeX expects to wait for a page."""

_DRAWING = r"""\providecommand{\formicaryfigures}{figures/}
\providecommand{\formicaryfigure}[1]{%
  \IfFileExists{\formicaryfigures#1.pdf}{%
    \setbox0\hbox{\includegraphics{\formicaryfigures#1.pdf}}%
    \ifdim\wd0>\linewidth\setbox0\hbox{\includegraphics[width=\linewidth]{\formicaryfigures#1.pdf}}\fi
    \leavevmode\box0 }{%
    \fbox{\parbox{.9\linewidth}{\footnotesize\raggedright\ttfamily #1.pdf}}}}"""
"""A command that includes a chart, at most as wide as the text; and the charts' folder, which a paper may set
before."""

_LETTERS = {
    **{letter: f"\\{letter}" for letter in "#$%&_{}"},
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", '"': "{''}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "\N{MICRO SIGN}": r"$\mu$",
    "±": r"$\pm$", "\N{MULTIPLICATION SIGN}": r"$\times$", "·": r"$\cdot$", "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--", "—": "---", "\N{RIGHT SINGLE QUOTATION MARK}": "'", "“": "``", "”": "''",
    **{block: f"\\rule{{.4em}}{{.{high}em}}" for high, block in enumerate("▁▂▃▄▅▆▇█", 1)},
    "→": r"$\rightarrow$", "…": r"\ldots{}", "\N{NO-BREAK SPACE}": "~", "[": "{[}", "*": "{*}",
}  # fmt: skip
_JOINED = frozenset("-`',?!")
"""Characters that LaTeX joins into one if doubled: dashes, quotes and others."""


def write(document: Document, stream: TextIO) -> None:
    stream.write(render(document))


def render(document: Document) -> str:
    """Return the tables of a run as LaTeX."""
    blocks = list(_head(document))
    charts = 0
    for section in document.sections:
        blocks += [*_figures(section, charts), *_section(section)]
        charts += len(section.charts)
    if said := claims_said(document.cards):
        blocks += [f"\\noindent\\textbf{{{TITLE}.}}", _list(said)]
    if known := references("\n".join(blocks)):
        blocks += ["\\noindent\\textbf{References.}", _list(known)]
    return "\n\n".join(blocks) + "\n"


def _head(document: Document) -> Iterator[str]:
    manifest = document.run.manifest
    name = _comment(document.run.path.resolve().name)
    yield (
        f"% Run {name} of {manifest.started:%Y-%m-%d}, by Formicary {_comment(manifest.formicary)}.\n"
        f"% Hash of the run: {document.hash}\n"
        "% In the document's preamble: \\usepackage{booktabs,graphicx}\n"
        "% Its figures: formicary bench report RUN --format pdf --to figures"
    )
    yield _FITTING
    yield _DRAWING
    yield f"\\noindent\\textbf{{Reliability.}} {_escape(document.trust.sentence)}"
    if not manifest.complete:
        yield f"\\noindent\\textbf{{Partial.}} {_escape(partial(manifest))}"
    if manifest.left_out:
        yield f"\\noindent\\textbf{{Left out.}} {_escape(left_out(manifest))}"
    if not manifest.repetitions:
        yield "Nothing has been measured yet."


def _list(lines: Sequence[str]) -> str:
    items = "\n".join(f"\\item {_escape(line)}" for line in lines)
    return f"\\begin{{itemize}}\\footnotesize\\sloppy\n{items}\n\\end{{itemize}}"


def _figures(section: Section, before: int) -> Iterator[str]:
    """Return the charts of a section, numbered after those before it."""
    for number, chart in enumerate(section.charts, 1):
        words = f"{chart.title}. {chart.caption}"
        label = f"fig:{formatting.slug(section.title)}-{number}"
        yield "\n".join(
            [
                r"\begin{figure}[!htbp]",
                r"\centering",
                f"\\formicaryfigure{{{stem(before + number, chart)}}}",
                f"\\caption[{{{_escape(chart.title)}}}]{{{_escape(words)}}}\\label{{{label}}}",
                r"\end{figure}",
            ]
        )


def _section(section: Section) -> Iterator[str]:
    yield from _tables(section.heading, section.columns, section.remarks)
    for extra in section.extras:
        about = [extra.remark] if extra.remark else []
        yield from _tables(f"{section.title}: {extra.title}", extra.columns, about)


def _tables(title: str, columns: Sequence[Column], remarks: Sequence[str] = ()) -> Iterator[str]:
    """Return a table, as several if it is too large for a page; its remarks follow as text."""
    shown = [column for column in columns if not column.minor]
    for number, page in enumerate(pages(shown)):
        part = f"-{number + 1}" if number else ""
        yield _table(f"{title} (continued)" if number else title, page, part)
    for remark in remarks:
        yield f"\\noindent{{\\footnotesize\\sloppy Table~\\thetable: {_escape(remark)}\\par}}"


def _table(title: str, page: Page, part: str = "") -> str:
    alignment = ["l" if is_name else "r" for is_name in page.names]
    heads = (_cell(head, to, "b") for head, to in zip(page.titles, alignment, strict=True))
    rows = ((_cell(cell, to) for cell, to in zip(row, alignment, strict=True)) for row in page.rows)
    return "\n".join(
        [
            r"\begin{table}[!htbp]",
            r"\centering\footnotesize",
            f"\\caption{{{_escape(title)}}}\\label{{tab:{formatting.slug(title)}{part}}}",
            f"\\formicarytable{{\\begin{{tabular}}{{@{{}}{''.join(alignment)}@{{}}}}",
            r"\toprule",
            f"{' & '.join(heads)} \\\\",
            r"\midrule",
            *(f"{' & '.join(row)} \\\\" for row in rows),
            r"\bottomrule",
            r"\end{tabular}}",
            r"\end{table}",
        ]
    )


def _cell(lines: Cell, alignment: str, place: str = "t") -> str:
    """Return a cell; one of several lines is a table, as columns that break lines need a package."""
    first, *others = map(_escape, lines)
    if not others:
        return first
    body = r" \\ ".join([first, *others])
    return f"\\begin{{tabular}}[{place}]{{@{{}}{alignment}@{{}}}}{body}\\end{{tabular}}"


def _escape(text: str) -> str:
    """Return a text verbatim: no name in a folder may become a command."""
    shown = printable(text)
    return "".join(
        _letter(letter) + ("{}" if {letter, after} <= _JOINED else "")
        for letter, after in pairwise(f"{shown} ")
    )


def _letter(letter: str) -> str:
    """Return a letter, or its name if LaTeX's usual fonts lack it, which would be an error."""
    known = letter.isascii() or ("À" <= letter <= "ÿ" and letter not in "ÐÞðþ")
    return _LETTERS.get(letter) or (letter if known else f"{{[}}U+{ord(letter):04X}]")


def _comment(text: str) -> str:
    return printable(text).encode("ascii", "backslashreplace").decode()
