"""The HTML report: the same for the same folder, whole in itself, and deaf to what a folder whispers."""

import re
from html.parser import HTMLParser

import msgspec
import pytest
from tests.unit.bench.synthetic import (
    EVIL,
    MACHINE,
    add_repetition,
    churn_plan,
    create_plan,
    directory_plan,
    make_run,
    messages,
    plan,
    round_trips,
    scale_plan,
)

from formicary_bench.reports.formats.html import render, write_html
from formicary_bench.results.store.folder import RunFolder
from formicary_bench.results.store.model import Machine
from formicary_bench.vocabulary.configuration import Configuration


class Page(HTMLParser):
    """A page as a browser sees it: elements, attributes, ids."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.ids, self.words = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "quick"
    return render(make_run(path, [*plan(pairs=(1, 10)), *create_plan()]))


def test_the_same_folder_gives_the_same_bytes(quick_run):
    first = write_html(quick_run).read_bytes()
    second = write_html(RunFolder.open(quick_run.path)).read_bytes()
    assert first == second
    assert sorted(path.name for path in quick_run.path.iterdir()) == ["manifest.json", "raw", "report.html"]


def test_the_same_folder_at_another_place_gives_the_same_bytes(quick_run, tmp_path):
    before = render(quick_run)
    (tmp_path / "elsewhere").mkdir()
    moved = quick_run.path.rename(tmp_path / "elsewhere" / quick_run.path.name)
    assert render(RunFolder.open(moved)) == before


def test_a_page_needs_no_network(rendered):
    page = Page(rendered)
    links = [
        value for _, name, value in page.attributes if name in {"src", "href", "data", "action", "srcset"}
    ]
    assert links
    assert all(link.startswith(("#", "data:,")) for link in links)
    assert not re.search(r"@import|url\(", rendered)


def test_a_page_is_sound(rendered):
    page = Page(rendered)
    assert len(page.ids) == len(set(page.ids))
    named = [
        one
        for _, name, value in page.attributes
        if name in {"aria-labelledby", "aria-describedby"}
        for one in value.split()
    ]
    targets = [value[1:] for _, name, value in page.attributes if name == "href" and value.startswith("#")]
    assert named
    assert set(named + targets) <= set(page.ids)
    assert page.elements.count("figure") == 6
    # A table of values beneath every chart.
    assert page.elements.count("details") >= page.elements.count("figure")


def test_a_page_tells_what_a_reader_needs(rendered):
    text = Page(rendered).text
    for words in (
        "Pairs of agents, all talking at once",
        "Creating agents",
        "Order of magnitude only",
        "Example CPU 9000",
        "uvloop 0.21.0",
        "0123456789ab",
        "T1 warm-up",
        "quick/raw/",
    ):
        assert words in text
    assert "partial" not in text


def test_a_page_says_what_baselines_are_and_why_agents_can_be_faster(rendered):
    text = Page(rendered).text.replace(" ,", ",")
    assert "bare components, one stanza for each message through the same server" in text
    assert "TCP sockets between two, one connection for each pair, a message in each write" in text
    assert "a container sends many in one stanza, and the managed server passes" in text
    assert "frames on without taking them apart" in text
    assert "floor" not in text


def test_a_page_holds_links_against_their_baselines(tmp_path):
    (sockets,) = [one for one in plan(pairs=(1,)) if one.platform == "tcp"]
    text = Page(render(make_run(tmp_path / "run", [messages("two-containers", "direct"), sockets]))).text
    assert "Between two processes" in text
    assert "Agents, direct" in text


def test_a_page_admits_what_is_wrong(tmp_path):
    configurations = plan(pairs=(1, 5))
    run = make_run(tmp_path / "run", configurations, repetitions=0, complete=False)
    add_repetition(run, configurations[0], 1, seed=1, full_load=False, lost=7)
    page = render(run)
    text = Page(page).text
    assert "partial run" in text
    assert "1 of 12 configurations" in text
    assert "full load not held in 1 of 1" in text
    assert "Unanswered messages: Agents (7)." in text
    assert 'class="mark unsound"' in page
    assert "batch means" in text


def test_what_was_left_out_is_said(tmp_path):
    sentence = "the placement two-containers is left out, as there is no XMPP server: <none>"
    run = make_run(tmp_path / "run", plan(pairs=(1,)), left_out=sentence)
    text = write_html(run).read_text()
    assert "The placement two-containers is left out, as there is no XMPP server: &lt;none&gt;." in text
    named = make_run(tmp_path / "other", plan(pairs=(1,)), left_out="left out: create (it has no route)")
    assert "<strong>Left out.</strong> create (it has no route)." in write_html(named).read_text()


@pytest.mark.parametrize("configurations", [[], plan(pairs=(1,))])
def test_a_run_without_values_has_a_page(tmp_path, configurations):
    run = make_run(tmp_path / "run", configurations, repetitions=0, complete=False, machine=Machine())
    assert "Nothing has been measured yet" in render(run)


def test_several_sizes_become_panels_of_their_own(tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(1, 5), payloads=(10, 1000)), repetitions=1)
    text = Page(render(run)).text
    assert "against pairs (10\N{NO-BREAK SPACE}B)" in render(run)
    assert text.count("Round trips per second, 5 pairs") >= 2


@pytest.mark.parametrize("experiment", ["messaging/size", "messaging/many-to-one", "messaging/unheard-of"])
def test_every_experiment_has_charts(tmp_path, experiment):
    payloads = (1, 1000) if experiment == "messaging/size" else (100,)
    run = make_run(tmp_path / "run", plan(experiment, pairs=(2, 5), payloads=payloads), repetitions=1)
    assert Page(render(run)).elements.count("figure") >= 2


def test_names_cannot_inject_anything(tmp_path):
    configuration = Configuration(
        experiment=EVIL,
        platform=EVIL,
        kind=EVIL,
        placement=EVIL,
        route=EVIL,
        parameters={"pairs": 1, "rounds": (0, 5, 0)},
    )
    machine = msgspec.structs.replace(MACHINE, host=EVIL, cpu=EVIL, libraries={EVIL: EVIL})
    run = make_run(
        tmp_path / "<img src=x onerror=alert(1)>", [configuration], repetitions=0,
        machine=machine, options={EVIL: [EVIL]}, formicary=EVIL,
    )  # fmt: skip
    data = round_trips(plan(pairs=(1,))[0], seed=1)
    sound = add_repetition(
        make_run(tmp_path / "other", plan(pairs=(1,))[:1], repetitions=0), plan(pairs=(1,))[0], 1, 1
    )
    run.add(msgspec.structs.replace(sound, configuration=configuration.key, notes=(EVIL,)), data)
    page = Page(render(run))
    assert page.elements.count("script") == 2  # the second one is data
    assert "onmouseover" in page.text
    assert "img" not in page.elements
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]


def test_the_policy_of_a_page_allows_its_own_script_alone(rendered):
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', rendered)
    assert re.fullmatch(
        r"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-[\w+/=]{44}'",
        policy,
    )


def test_phases_that_differ_say_which_configurations_had_them(tmp_path):
    even = plan(pairs=(1, 3))[:2]
    few, *_ = plan(pairs=(9,), trips=(1, 2, 3))
    text = render(make_run(tmp_path / "even", even))
    assert "<td>all</td>" in text
    text = render(make_run(tmp_path / "uneven", [*even, few]))
    assert "<td>in-process, 9 pairs, 100 bytes</td>" in text
    assert "<td>in-process, 1 pair, 100 bytes</td>" in text


def test_phases_of_other_versions_say_what_is_known_of_them(tmp_path):
    plans = (plan("messaging/unheard-of", pairs=(many,), trips=(many, 2, 3))[0] for many in (1, 9))
    run = make_run(tmp_path / "run", [one.sized(mix="unheard-of", colour="green") for one in plans])
    text = render(run)
    assert "<td>in-process, 9 pairs, 100 bytes, unheard-of</td>" in text
    assert "<td>in-process, 1 pair, 100 bytes, unheard-of</td>" in text


class Seen(HTMLParser):
    """The words of the first screen, of everything visible without unfolding, and of the pictures."""

    def __init__(self, text):
        super().__init__()
        self.first, self.unfolded, self.drawn = 0, 0, []
        self._open = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag not in {"meta", "link"}:
            name = "first" if ("class", "first") in attrs else tag
            self._open.append(name)

    def handle_endtag(self, tag):
        self._open.pop()

    def handle_data(self, data):
        if {"style", "script", "title", "desc", "caption"} & set(self._open):
            return
        if "svg" in self._open:
            self.drawn.append(data)
            return
        words = len(data.split())
        depth = self._open.count("details") - ("summary" in self._open)
        self.unfolded += words if not depth else 0
        self.first += words if "first" in self._open and not depth else 0


RUNS = {
    "pairs": lambda: plan(pairs=(1, 10)),
    "create": create_plan,
    "directory": directory_plan,
    "churn": churn_plan,
    "scale": scale_plan,
    "size": lambda: plan("messaging/size", pairs=(1,), payloads=(1, 1000)),
}


@pytest.mark.parametrize("kind", RUNS)
def test_the_first_screen_has_the_badge_a_picture_and_few_words(tmp_path, kind):
    text = render(make_run(tmp_path / "run", RUNS[kind](), repetitions=3))
    first = text.partition('<div class="first">')[2].partition('<main id="found">')[0]
    assert first.index('class="badge') < first.index("<svg viewBox")
    assert first.count('role="img"') == 3  # a drawing for each width
    seen = Seen(text)
    assert 10 < seen.first <= 60
    assert seen.unfolded < 700


def test_a_run_that_was_disturbed_in_every_way_still_says_so_in_few_words(tmp_path):
    configurations = plan(pairs=(1, 5))
    run = make_run(tmp_path / "run", configurations, repetitions=0, complete=False, left_out="much " * 50)
    for configuration in configurations:
        add_repetition(run, configuration, 1, seed=1, full_load=False, others_cores=3.0, stolen=0.2)
    assert Seen(render(run)).first <= 60


def test_who_is_faster_is_ranked_with_factors_that_can_be_read(tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(10,)), repetitions=5)
    text = render(run)
    drawn = Seen(text).drawn
    ranked = [word for word in drawn if word in {"Callbacks", "Micro-agents", "asyncio tasks", "Agents"}][:4]
    assert ranked == ["Callbacks", "Micro-agents", "asyncio tasks", "Agents"]
    assert any(re.fullmatch(r"1\.\d+× slower than asyncio tasks \(1\.\d+–1\.\d+\)", one) for one in drawn)
    assert not re.search(r"0\.\d+ of (the rate|what|tasks)", text)


def test_an_experiment_has_one_chart_and_one_sentence_and_folds_the_rest(tmp_path):
    run = make_run(tmp_path / "run", [*plan(pairs=(1, 10)), *directory_plan()], repetitions=5)
    lead, *experiments = render(run).partition('<section aria-labelledby="method"')[0].split("<section")
    assert lead.count("<li>In one process") + lead.count("<li>Between two processes") == 3
    assert lead.count('class="of value"') <= 4
    for section in experiments:
        shown = section
        while (
            inner := re.sub(r"<details(?:(?!<details|</details>).)*</details>", "", shown, flags=re.DOTALL)
        ) != shown:
            shown = inner
        assert shown.count("<figure") == 1
        assert shown.count('class="lead"') <= 1
        assert "<table" not in shown
        assert "<table" in section


def test_what_was_left_out_is_a_line_and_fills_no_screen(tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(1,)), repetitions=1, left_out="left out: spade")
    text = render(run)
    assert '<p class="remark"><strong>Left out.</strong> spade.</p>' in text
    assert "min-height: min" not in text


def test_a_tile_is_of_one_row_with_its_interval_and_its_repetitions(tmp_path):
    text = render(make_run(tmp_path / "run", plan(pairs=(1, 10)), repetitions=4))
    tiles = text.partition('<ul class="tiles"')[2].partition("</ul>")[0].split("<li>")[1:]
    assert len(tiles) == 4
    for tile in tiles:
        assert tile.count('class="repetition"') == 4
        assert re.search(r'class="interval">[\d.]+–', tile)


def test_two_modes_are_two_figures_in_a_tile(tmp_path):
    (one,) = plan(pairs=(1,))[:1]
    run = make_run(tmp_path / "run", [one], repetitions=0)
    for number in range(1, 9):
        data = round_trips(one, seed=number)
        data.rtt_ns[:] = data.rtt_ns * (1 if number % 2 else 3)
        known = add_repetition(
            make_run(tmp_path / f"other-{number}", [one], repetitions=0), one, number, number
        )
        run.add(known, data)
    tile = render(run).partition('<ul class="tiles"')[2].partition("</ul>")[0].split("<li>")[1]
    assert re.search(r'class="of value"[^>]*>3\.\d+\W', tile)
    assert re.search(r"two modes: 1\.\d+\W\S+ and 5\.\d+\W", tile)


def test_captions_say_whose_the_values_are_and_what_they_are_made_of(tmp_path):
    text = Page(render(make_run(tmp_path / "run", plan(pairs=(1, 50)), repetitions=3))).text
    assert "After Alberola 2010, Fig. 5 and 6: " in text
    assert "is ten times rarer" in text
    assert "With 50 at once, most of this time is spent queueing." in text
    assert "A baseline is no lower bound" in text
    alone = Page(render(make_run(tmp_path / "alone", plan(pairs=(1,)), repetitions=3))).text
    assert "waiting in line" not in alone


def test_placements_are_panels_on_one_scale(tmp_path):
    text = render(make_run(tmp_path / "run", plan(pairs=(1, 50)), repetitions=3))
    figure = text.partition("Round-trip time against pairs")[2].partition("</figure>")[0]
    drawing = figure.partition('<div class="drawing wide">')[2].partition("</div>")[0]
    assert re.findall(r'class="group">([^<]+)<', drawing) == ["In one process", "In two processes"]
    assert drawing.count(">mean round-trip time (logarithmic)<") == 1


def test_where_nothing_is_valid_the_reasons_are_not_folded(tmp_path):
    (one,) = plan(pairs=(1,))[:1]
    run = make_run(tmp_path / "run", [one], repetitions=0)
    add_repetition(run, one, 1, seed=1, invalid=("the sender was saturated",))
    text = render(run)
    assert 'class="all remarks" open' in text
    assert "not valid in 1 of 1" in text
    assert Seen(text).first <= 60
