"""A run as one HTML file that needs no network.

It is made from the run folder alone and holds no time or place of its making, so that the same folder gives
the same bytes. Names in a folder come from others: the template escapes everything that is not ours.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup, escape

from formicary.core.quoting import printable
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.drawing import draw, strip, swatch
from formicary_bench.reports.charts.lines import Lines, axes_of
from formicary_bench.reports.charts.series import SAME
from formicary_bench.reports.document.claims import CardText, counted, references
from formicary_bench.reports.document.figures import pieces
from formicary_bench.reports.document.overview import legend
from formicary_bench.reports.document.report import tiles
from formicary_bench.reports.document.sections import Document, Section
from formicary_bench.reports.document.tables import load_word
from formicary_bench.reports.formats.html_tables import is_among, repeated, shown
from formicary_bench.reports.formats.template import environment, template
from formicary_bench.reports.formats.terminal import left_out, partial
from formicary_bench.results.store.folder import RAW, REPORT
from formicary_bench.results.summary.commands import sizes_of
from formicary_bench.statistics.intervals import FEWEST
from formicary_bench.vocabulary.names import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import TextIO

    from jinja2 import Environment

    from formicary_bench.reports.charts.lines import Plot
    from formicary_bench.reports.charts.plots import Chart
    from formicary_bench.reports.document.sentences import Tile
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Machine, Manifest, Option
    from formicary_bench.vocabulary.configuration import Configuration


class Beside(NamedTuple):
    """The files beside the page that it links to.

    Attributes:
        files: Descriptions of files, by name.
        drawn: The files of each chart, in the order of the page.
    """

    files: Mapping[str, str]
    drawn: Sequence[Sequence[str]]


BROAD, WIDE, NARROW = 1100, 520, 340
"""The widths, in pixels, for which charts are drawn (the first of the page alone); the style sheet shows the
one that fits."""

_SPACES = frozenset("\n\N{NO-BREAK SPACE}")
_UNIT = re.compile(r"(?<=\d) (?=(?:µs|ms|s|k|M|B|kB|MB|\d{3})\b)")
_FINDING = re.compile(r"(\d[\d.]*\N{NO-BREAK SPACE}(?:µs|ms|s|k|M)\b)")


def write_html(run: RunFolder, document: Document | None = None) -> Path:
    """Write a run's report, replacing an older one, and return its file.

    Raises:
        UsageError: Raw values are missing or broken.
        FormicaryError: The report cannot be written.
    """
    return run.write_text(REPORT, page(document or Document(run)))


def write(document: Document, stream: TextIO) -> None:
    stream.write(page(document))


def render(run: RunFolder) -> str:
    return page(Document(run))


def page(document: Document, beside: Beside | None = None) -> str:
    """Return a report as HTML.

    Args:
        document: The content of the report.
        beside: What the page links to; None if it is alone, without even the raw values beside it.
    """
    run, rows = document.run, document.shown
    manifest = run.manifest
    return filled(
        "report.html",
        name=run.path.resolve().name,
        manifest=manifest,
        started=f"{manifest.started.day} {manifest.started:%B %Y, %H:%M %Z}",
        partial="" if manifest.complete else partial(manifest),
        left_out=left_out(manifest),
        picture=document.picture,
        tiles=tiles([row for row in rows if not row.profiled]),
        sections=document.sections,
        trust=document.trust,
        lead=document.lead,
        hints=document.hints,
        again=document.again,
        legend=legend(rows),
        claims=(claims := _claims(document)),
        had_claims=bool(claims),
        undecided=sum(not card.is_decided for card in document.cards),
        evidence=_data(document.evidence),
        hash=document.hash,
        anchors=_anchors(document.sections),
        same_as_picture=_place_of(document.picture, document.sections),
        references=references(_about(document)),
        configurations=len(rows),
        trips=formatting.count(sum(row.round_trips for row in rows if row.family != DIRECTORY)),
        repetitions=sorted({row.repetitions for row in rows}),
        has_links=any(row.placement != SAME for row in rows),
        many_to_one=any(load_word([row]) != "pair" for row in rows),
        uses_directory=any(row.family == DIRECTORY for row in rows),
        methods={row.ci_method for row in rows},
        notes=repeated(document.sections),
        independence=FEWEST,
        phases=_phases(manifest),
        surroundings=_surroundings(manifest),
        raw=RAW,
        beside=beside,
    )


def _place_of(picture: Chart | None, sections: Sequence[Section]) -> int:
    """Return the number of the figure with the same values as the first picture; or 0."""
    charts = [chart for section in sections for chart in section.charts]
    return next((n for n, one in enumerate(charts, 1) if picture and one.columns == picture.columns), 0)


def _anchors(sections: Sequence[Section]) -> list[str]:
    """Return the names of all figures, for links."""
    return [
        f"figure-{formatting.slug(section.title)}-{number}"
        for section in sections
        for number in range(1, len(section.charts) + 1)
    ]


def _claims(document: Document) -> dict[str, tuple[str, list[CardText]]]:
    """Return a run's verdicts on papers' claims, by experiment, and their counts."""
    found: dict[str, list[CardText]] = {}
    for card in document.cards:
        if card.is_decided:
            found.setdefault(card.experiment, []).append(card)
    return {experiment: (counted(cards), cards) for experiment, cards in found.items()}


def _about(document: Document) -> str:
    """Return all texts of a page that name papers."""
    shown = [card.source for card in document.cards if card.is_decided]
    titles = [chart.title for section in document.sections for chart in section.charts]
    return "\n".join([*shown, *titles, *(section.source for section in document.sections)])


def filled(file: str, /, **values: object) -> str:
    """Return a page that needs no network."""
    script = template("report.js")
    page = (
        _environment()
        .get_template(file)
        .render(
            **values,
            style=Markup(template("report.css") + template("chart.css")),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        )
    )
    return _shown(page)


def _shown(html: str) -> str:
    """Return a page with invisible characters escaped."""
    unseen = [letter for letter in set(html) if not (letter.isprintable() or letter in _SPACES)]
    return html.translate({ord(letter): printable(letter) for letter in unseen}) if unseen else html


def _environment() -> Environment:
    templates = environment()
    templates.globals.update(
        drawings=_drawings,
        is_among=is_among,
        shown=shown,
        strip=_strip,
        swatch=swatch,
    )
    templates.filters.update(
        drawn=Markup,
        slug=formatting.slug,
        emphasise=_emphasise,
        linked=_linked,
        together=_together,
        json=_json,
    )
    return templates


def _together(text: str) -> str:
    """Keep figures on one line with their units."""
    return _UNIT.sub("\N{NO-BREAK SPACE}", text)


def _emphasise(sentence: str) -> Markup:
    """Escape a sentence, make times and rates stand out, and have figures show what is behind them."""
    return Markup("").join(_figure(_bold(piece), of) for piece, of in pieces(sentence))


def _linked(text: str) -> Markup:
    """Escape a text, and have its figures show what is behind them."""
    return Markup("").join(_figure(escape(_together(piece)), of) for piece, of in pieces(text))


def _bold(text: str) -> Markup:
    parts = _FINDING.split(_together(text))
    parts[1::2] = [Markup("<b>{}</b>").format(finding) for finding in parts[1::2]]
    return Markup("").join(parts)


def _figure(text: Markup, of: str) -> Markup:
    return (
        Markup('<button type="button" class="of" data-of="{}">{}</button>').format(of, text) if of else text
    )


def _json(value: Option) -> str:
    return json.dumps(value, ensure_ascii=False)


def _data(value: object) -> Markup:
    """Return data for the page's script, escaped so that it cannot end its element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("&", "\\u0026"))  # noqa: S704 - nothing is left to escape


def _drawings(chart: Chart, name: str, *, is_first: bool = False) -> dict[str, Markup]:
    """Draw a chart for each width that has a style, and for each axis that a reader can choose."""
    plots = {"": chart.plot}
    if isinstance(chart.plot, Lines) and chart.plot.choice and not is_first:
        plots["linear "] = chart.plot.linear
    widths = ({"broad": BROAD} if is_first else {}) | {"wide": WIDE, "narrow": NARROW}
    return {
        f"{axis}{kind}": draw(
            plot, f"{name}-{axis.strip()}{kind}", chart.title, _description(chart, plot), width
        )
        for axis, plot in plots.items()
        for kind, width in widths.items()
    }


def _strip(tile: Tile) -> Markup:
    """Draw the repetitions of a tile, if known."""
    return strip(tile.known, tile.write, "Repetitions") if tile.known.values else Markup()


def _description(chart: Chart, plot: Plot) -> str:
    names = ", ".join(series.label for series in chart.legend)
    axes = axes_of(plot) if isinstance(plot, Lines) else ""
    said = [chart.caption, axes, f"Series: {names}." if names else "", "The values are in the table below."]
    return " ".join(word for word in said if word)


def _phases(manifest: Manifest) -> list[tuple[str, str, int, int, int]]:
    """Return the round trips, or uses, of each experiment's phases, with the point if they differ."""
    found: dict[str, dict[tuple[int, int, int], list[str]]] = {}
    for one in manifest.configurations:
        if any(trips := one.exchange.rounds):
            found.setdefault(one.experiment, {}).setdefault(trips, []).append(_point(one))
    return [
        (experiment, "; ".join(dict.fromkeys(points)) if len(groups) > 1 else "all", *trips)
        for experiment, groups in found.items()
        for trips, points in sorted(groups.items(), reverse=True)
    ]


def _point(configuration: Configuration) -> str:
    """Return the point of a configuration in its experiment."""
    route = configuration.route
    other = "" if route != "xmpp" else f" ({configuration.platform})"
    tls = " with TLS" if configuration.tls else ""
    return f"{route}{tls}{other}, {', '.join(sizes_of(configuration))}"


def _surroundings(manifest: Manifest) -> list[tuple[str, str]]:
    """Return the details of a run's machine that are folded away, as pairs of words."""
    machine = manifest.machine
    said = {
        "Cores": _cores(machine),
        "Frequency": f"{machine.frequency_mhz:.0f} MHz at the start" if machine.frequency_mhz else "",
        "Frequency governor": machine.governor,
        "Memory": f"{machine.memory_bytes / 2**30:.1f} GiB" if machine.memory_bytes else "",
        "System": machine.system,
        "Kernel": machine.kernel,
        "Container or virtual machine": machine.container,
        "Python's build": machine.python_build,
        "Commit": _commit(manifest),
        "Libraries": ", ".join(f"{name} {version}" for name, version in sorted(machine.libraries.items())),
        "Load before": _load(manifest.load_before),
        "Load after": _load(manifest.load_after),
    }
    return [(name, text) for name, text in said.items() if text]


def _cores(machine: Machine) -> str:
    if not machine.threads:
        return ""
    return f"{machine.cores or '?'} physical, {machine.threads} logical, {machine.usable or '?'} usable"


def _commit(manifest: Manifest) -> str:
    if manifest.git is None:
        return ""
    return manifest.git.commit[:12] + (", with uncommitted changes" if manifest.git.dirty else "")


def _load(load: tuple[float, float, float] | None) -> str:
    return ", ".join(f"{value:.2f}" for value in load) + " (1, 5, 15 minutes)" if load else ""
