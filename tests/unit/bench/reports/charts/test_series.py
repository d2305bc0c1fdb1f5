"""One thing looks alike on all pages: colour by platform, dash by route."""

from itertools import product

from tests.unit.bench.synthetic import row

from formicary_bench.reports.charts.series import by_series, label, look

ROUTES = ("in-process", "direct", "xmpp", "auto", "tcp", "own")


def test_a_platform_has_one_colour_and_mark_by_every_route():
    for platform, kind in (("formicary", "behaviours"), ("jade", ""), ("tcp", ""), ("unheard-of", "")):
        looks = [look(platform, kind, route, tls=tls) for route, tls in product(ROUTES, (False, True))]
        assert len({(colour, mark) for colour, mark, _ in looks}) == 1


def test_routes_can_be_told_apart_by_their_dashes():
    dashes = [look("jade", "", route)[2] for route in ROUTES]
    dashes += [look("jade", "", route, tls=True)[2] for route in ROUTES if route != "in-process"]
    assert len(set(dashes)) == len(dashes)


def test_jade_in_two_processes_is_jade_but_not_as_in_one():
    one, two = by_series([row("jade", ""), row("jade", "", placement="two-containers", route="own")])
    assert one.colour == two.colour
    assert one.dash != two.dash
    assert one.label != two.label


def test_platforms_that_are_known_do_not_look_alike():
    names = (
        "jade",
        "jason",
        "jason-pool",
        "jason-synchronous",
        "jetlang",
        "kilim",
        "mango",
        "madkit",
        "pekko",
        "spade",
        "tasks",
        "callbacks",
        "tcp",
    )
    looks = [look(name, "", "") for name in names] + [
        look("formicary", kind, "") for kind in ("behaviours", "micro")
    ]
    assert len(set(looks)) == len(looks)


def test_the_look_does_not_depend_on_who_else_is_there():
    strangers = [row(f"stranger-{number}", "") for number in range(5)]
    alone = {series.label: series for one in strangers for series in by_series([one])}
    assert {series.label: series for series in by_series(strangers)} == alone
    assert {series.label: series for series in by_series(strangers[::-1])} == alone


def test_pools_of_other_platforms_have_threads_where_ours_have_containers():
    for platform, name in (("formicary", "2 containers"), ("jason-pool", "2 threads")):
        assert label(row(platform, "", experiment="traffic/pool-size", containers=2)).endswith(f", {name}")
