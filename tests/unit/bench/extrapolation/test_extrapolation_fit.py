"""From the figures of runs to what is predicted: the costs that made them are found again."""

import json

import msgspec
import pytest
from tests.unit.bench.synthetic import make_run, row, scale_plan
from typer.testing import CliRunner

from formicary.errors import FormicaryError, UsageError
from formicary_bench.cli import app
from formicary_bench.experiments.messaging.scale_out import AGENTS_CPU
from formicary_bench.extrapolation.fit import Measured, fit, kinds_of
from formicary_bench.extrapolation.idle import DOCUMENTED, IdleLinks, Waited, links_from, read_links
from formicary_bench.extrapolation.model import DIRECT, FEDERATED, ONE_SERVER, Layout, Prediction
from formicary_bench.extrapolation.tables import directory_table, measured_table, outlook_table, outlooks

AGENTS, AGENTS_FRAME = 8.0, 12.0
SERVER, SERVER_FRAME = 20.0, 30.0
GROWTH = 40_000.0
LINKS = IdleLinks(Prediction(1e-4, 5e-5, 2e-4), Prediction(50_000, 40_000, 60_000))


def measured(hosts, pairs, traffic, route, *, servers="each", busy=0.5, kind="behaviours"):
    frames = Layout(hosts, pairs, traffic).frames
    server = SERVER + SERVER_FRAME * frames if route == "xmpp" else 0.0
    figures = {
        "agents_cpu_us": AGENTS + AGENTS_FRAME * frames,
        "servers_cpu_us": server / (4 if servers == "one" else 1),
        "server_bytes": 5e6 + GROWTH * hosts if route == "xmpp" else None,
        "busiest_host": busy,
    }
    about = {"experiment": "messaging/scale-out", "placement": "n-hosts", "route": route, **figures}
    return Measured(row(kind=kind, pairs=pairs, hosts=hosts, traffic=traffic, **about), servers)


def all_measured(routes=("direct", "xmpp"), pairs=(3, 50), **about):
    return [
        measured(hosts, senders, traffic, route, **about)
        for hosts in (2, 3, 4)
        for senders in pairs
        for traffic in ("ring", "all-to-all")
        for route in routes
    ]


DIRECTORY = [
    Measured(
        row(
            kind="central", experiment="directory/register", services=services,
            rtt_p50_us=(median, (30.0, 34.0)),
        ),
        "",
    )
    for services, median in ((0, 20.0), (1000, 32.0))
] + [
    Measured(
        row(
            kind="replica", experiment="directory/propagation", placement="two-containers", route="direct",
            containers=containers, rtt_p50_us=200.0 + 25.0 * containers,
        ),
        "",
    )
    for containers in (1, 3, 5, 7)
]  # fmt: skip


def test_costs_are_found_again():
    fitted = fit([*all_measured(), *DIRECTORY], "behaviours", LINKS)
    costs = fitted.costs
    for way in (DIRECT, FEDERATED):
        assert costs.agents_us[way].intercept == pytest.approx(AGENTS)
        assert costs.agents_us[way].slope == pytest.approx(AGENTS_FRAME)
    assert costs.server_us[FEDERATED].at(1.0).mean == pytest.approx(SERVER + SERVER_FRAME)
    assert costs.server_bytes.mean == pytest.approx(GROWTH)
    assert costs.registration_us == Prediction(32.0, 30.0, 34.0)
    assert costs.update_us.mean == pytest.approx(25.0)
    assert (costs.link_cores, costs.link_bytes) == (LINKS.cores, LINKS.size)
    assert fitted.most_hosts == 4
    assert not any("no core" in doubt or "extrapolated" in doubt for doubt in fitted.doubts)


def test_one_server_is_taken_for_half_of_two_only_where_it_was_not_measured():
    assumed = fit(all_measured(), "behaviours", LINKS)
    assert assumed.costs.server_us[ONE_SERVER].at(0.5).mean == pytest.approx((SERVER + SERVER_FRAME / 2) / 2)
    assert any("a single server was not measured" in doubt for doubt in assumed.doubts)
    both = [*all_measured(), *all_measured(routes=("xmpp",), servers="one")]
    known = fit(both, "behaviours", LINKS)
    assert known.costs.server_us[ONE_SERVER].at(0.5).mean == pytest.approx((SERVER + SERVER_FRAME / 2) / 4)
    assert known.doubts == ()


def test_a_way_whose_servers_were_not_looked_at_is_left_out_and_that_is_said():
    uncounted = [
        one._replace(
            row=msgspec.structs.replace(one.row, figures={AGENTS_CPU.name: one.row.figures[AGENTS_CPU.name]})
        )
        for one in all_measured(routes=("xmpp",), servers="one")
    ]
    fitted = fit([*all_measured(routes=("direct",)), *uncounted], "behaviours", LINKS)
    assert fitted.ways == (DIRECT,)
    assert any(doubt.startswith("one server: its servers were not accounted for") for doubt in fitted.doubts)


def test_what_does_not_rise_above_the_noise_is_not_known():
    shrinking = [
        measured(hosts, 50, "ring", "xmpp")._replace(
            row=row(
                experiment="messaging/scale-out", placement="n-hosts", route="xmpp", pairs=50, hosts=hosts,
                traffic="ring", agents_cpu_us=1.0, servers_cpu_us=1.0, server_bytes=9e6 - 1e5 * hosts,
            )
        )
        for hosts in (2, 3, 4)
    ]  # fmt: skip
    assert fit(shrinking, "behaviours", LINKS).costs.server_bytes is None


def test_what_makes_figures_doubtful_is_said():
    doubts = fit(all_measured(pairs=(50,), routes=("direct",), busy=0.99), "behaviours", LINKS).doubts
    assert any("in 6 of 6 configurations no core of a host was free" in doubt for doubt in doubts)
    assert any("spread over more than 0.06 frames" in doubt for doubt in doubts)


def test_without_hosts_there_is_nothing_to_fit():
    with pytest.raises(UsageError, match="the model needs messaging/scale-out over two or more"):
        fit(DIRECTORY, "behaviours", LINKS)
    alone = measured(1, 5, "", "in-process")
    assert kinds_of([alone, *all_measured(kind="micro")]) == ("micro",)


def test_tables_say_what_was_measured_and_what_is_predicted():
    fitted = fit([*all_measured(), *DIRECTORY], "behaviours", LINKS)
    found = outlooks(fitted, (10, 100, 1000), 50)
    assert len(found) == 3 * 2 * 3 + 2 * 3
    table = outlook_table(found, 50).columns
    assert len(table[0].cells) == 18
    by_title = {column.title: column.cells for column in table}
    place = by_title["way"].index("direct links, all-to-all") + 2
    assert by_title["hosts"][place] == "1000"
    assert by_title["total"][place] == "499 500"
    assert by_title["connections"][place] == "999"
    assert by_title["bottleneck"][by_title["way"].index("one server, ring")] == "the server"
    directory = directory_table(found)
    assert directory.columns[1].cells == ("10", "100", "1000") * 2
    assert directory_table(outlooks(fit(all_measured(), "behaviours", LINKS), (10,), 50)) is None
    said = measured_table(fitted).columns[0].cells
    assert "a message, of agents, direct links: many share a frame" in said
    assert "a registration, for each replica that sees it and tells" in said


def test_idle_links_are_what_containers_with_more_of_them_take_more():
    found = links_from(
        [Waited(others, 0.001 + 2e-5 * others, 1e6 + 7e4 * others) for others in (5, 9, 13, 17)]
    )
    assert found.cores.mean == pytest.approx(2e-5)
    assert found.size.mean == pytest.approx(7e4)
    with pytest.raises(FormicaryError, match="too few numbers of containers"):
        links_from([Waited(5, 0.1, 1e6), Waited(9, 0.2, 2e6)])


def test_a_file_of_links_is_read_or_refused(tmp_path):
    file = tmp_path / "links.json"
    with pytest.raises(UsageError, match=r"links\.json cannot be read"):
        read_links(file)
    file.write_text("{}")
    with pytest.raises(UsageError, match="does not contain the cost of idle links; create it with"):
        read_links(file)
    file.write_text('{"cores": {"mean": 1, "low": 0, "high": 2}, "size": {"mean": 3, "low": 2, "high": 4}}')
    assert read_links(file) == IdleLinks(Prediction(1, 0, 2), Prediction(3, 2, 4))
    assert DOCUMENTED.cores.low < DOCUMENTED.cores.mean < DOCUMENTED.cores.high


def test_the_command_shows_tables_and_prints_json(tmp_path):
    run = make_run(tmp_path / "run", scale_plan(hosts=(2, 3, 4), pairs=(3, 12)), servers="each")
    shown = CliRunner().invoke(app, ["model", str(run.path)])
    assert shown.exit_code == 0, shown.output
    for words in ("Measured", "Predicted: messages", "direct links, all-to-all", "Assumptions:"):
        assert words in shown.output
    printed = CliRunner().invoke(app, ["model", str(run.path), "--count", "20", "--json"])
    lines = [json.loads(line) for line in printed.output.splitlines()]
    assert {(line["way"], line["traffic"], line["hosts"]) for line in lines} == {
        (way, traffic, 20) for way in (DIRECT, FEDERATED, ONE_SERVER) for traffic in ("ring", "all-to-all")
    }
    # Synthetic messages cost 10 µs of the agents, and 20 µs of both servers, whatever their frames.
    rates = {line["way"]: line["parts"][0]["per_host"]["mean"] for line in lines}
    assert rates[FEDERATED] == pytest.approx(1e6 / 20, rel=1e-6)
    assert rates[ONE_SERVER] == pytest.approx(1e6 / 10 / 20, rel=1e-6)


@pytest.mark.parametrize("count", ["1", "many", "10,0"])
def test_numbers_of_hosts_that_cannot_be_are_refused(count, tmp_path):
    run = make_run(tmp_path / "run", scale_plan(hosts=(2,)), repetitions=1)
    result = CliRunner().invoke(app, ["model", str(run.path), "--count", count])
    assert isinstance(result.exception, UsageError)
    assert "--count" in str(result.exception)
