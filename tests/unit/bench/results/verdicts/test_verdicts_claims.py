"""What a run says of the papers' claims: by direction and interval, and never more than it can tell."""

import pytest
from msgspec.structs import replace
from tests.unit.bench.synthetic import row

from formicary_bench.experiments.mobile import PEAK, SUSTAINED
from formicary_bench.published.claims import Check, Claim, Side, claims
from formicary_bench.results.summary.baselines import Warmth
from formicary_bench.results.summary.cpu import CpuEstimate, CpuEstimates
from formicary_bench.results.summary.each import Each, named
from formicary_bench.results.verdicts.claims import Outcome, judge, verdict_on
from formicary_bench.results.verdicts.trust import Trust
from formicary_bench.statistics.estimates import Estimate
from formicary_bench.vocabulary.metrics import CREATION, HOLDS, MEAN, RATE, TIME

NEAR = (0.98, 0.99, 1.0, 1.0, 1.01, 1.02)
BY_ID = {claim.id: claim for claim in claims()}


def timed(median, platform="jade", kind="", scatter=NEAR, **about):
    each = tuple(Each(values=named({MEAN: median * one, RATE: 1e6 / (median * one)})) for one in scatter)
    known = {"repetitions": len(each), "each": each, "warmth": Warmth(settled=True, warm_up_s=1.0)}
    return row(platform, kind, **{**known, **about})


def crowd(jade, madkit, **about):
    return [timed(jade, "jade", pairs=200, **about), timed(madkit, "madkit", pairs=200, **about)]


@pytest.mark.parametrize(
    ("jade", "madkit", "outcome"),
    [(100, 80, Outcome.REPRODUCED), (80, 100, Outcome.REFUTED), (100, 100.5, Outcome.OPEN)],
)
def test_a_claim_is_reproduced_or_refuted_only_beyond_its_interval(jade, madkit, outcome):
    card = judge(BY_ID["alberola-one-kernel"], crowd(jade, madkit))
    assert card.outcome is outcome
    (point,) = card.points
    assert point.value.mean == pytest.approx(madkit / jade, rel=0.001)
    assert point.value.low < point.value.mean < point.value.high
    assert bool(card.takes) is (outcome is Outcome.OPEN)


def test_a_claim_that_was_not_measured_says_how_to():
    card = judge(BY_ID["alberola-one-kernel"], [timed(100)])
    assert (card.outcome, card.points) == (Outcome.OPEN, ())
    assert card.takes == (
        "formicary bench run messaging/pairs --repeat 10 --platform madkit,jade --placement same-container "
        "--pairs 150"
    )
    mobile = judge(BY_ID["dikaiakos-create-remote"], [timed(100)])
    assert mobile.takes.startswith("get Concordia, Voyager and Aglets to run")


@pytest.mark.parametrize(
    ("about", "doubt"),
    [
        ({"full_load": False}, "MaDKit: full load not held"),
        ({"scatter": NEAR[:3]}, "3 repetitions"),
        ({"warmth": Warmth(settled=False, warm_up_s=0.0)}, "MaDKit: cold"),
        ({"invalid": ("its clock went backwards",)}, "MaDKit: not valid"),
    ],
)
def test_what_cannot_be_compared_decides_nothing(about, doubt):
    card = judge(BY_ID["alberola-one-kernel"], crowd(100, 50, **about))
    assert card.outcome is Outcome.OPEN
    assert [point.doubt for point in card.points] == [doubt]
    assert card.takes


def test_one_point_that_differs_refutes_and_is_counted():
    rows = [
        timed(median, name, pairs=pairs)
        for pairs, jade, madkit in ((150, 100, 50), (200, 100, 150))
        for name, median in (("jade", jade), ("madkit", madkit))
    ]
    card = judge(BY_ID["alberola-one-kernel"], rows)
    assert card.outcome is Outcome.REFUTED
    assert card.counted == "holds at 1, fails at 1 of 2 points"


def test_the_mean_decides_where_a_paper_has_means():
    """Most round trips of MadKit are faster, and some take so long that it is slower by the mean."""
    about = {"repetitions": len(NEAR), "pairs": 200, "warmth": Warmth(settled=True, warm_up_s=1.0)}
    rows = [
        row(
            name,
            each=tuple(Each(values=named({TIME: median * one, MEAN: mean * one})) for one in NEAR),
            **about,
        )
        for name, median, mean in (("jade", 100, 100), ("madkit", 46, 174))
    ]
    (point,) = judge(BY_ID["alberola-one-kernel"], rows).points
    assert point.value.mean == pytest.approx(1.74)
    assert point.outcome is Outcome.REFUTED


@pytest.mark.parametrize(
    ("within", "madkit", "outcome"),
    [
        (0.1, 150, Outcome.REFUTED),
        (None, 150, Outcome.OPEN),
        (None, 50, Outcome.REPRODUCED),
    ],
)
def test_a_run_that_is_good_for_an_order_of_magnitude_refutes_nothing(within, madkit, outcome):
    card = judge(BY_ID["alberola-one-kernel"], crowd(100, madkit, trust=Trust(level="", within=within)))
    assert card.outcome is outcome
    assert ("order of magnitude" in card.takes) is (outcome is Outcome.OPEN)


@pytest.mark.parametrize(
    ("machines", "outcome"), [(1, Outcome.OPEN), (2, Outcome.REPRODUCED), (0, Outcome.REPRODUCED)]
)
def test_hosts_that_are_one_machine_say_nothing_of_hosts(machines, outcome):
    about = {
        "platform": "formicary",
        "kind": "behaviours",
        "route": "direct",
        "experiment": "messaging/location",
    }
    rows = [
        timed(100, placement="two-containers", **about),
        timed(50, placement="two-hosts", hosts=2, machines=machines, **about),
    ]
    card = judge(BY_ID["burbeck-two-hosts"], rows)
    assert card.outcome is outcome
    assert ("namespaces of one machine" in card.takes) is (outcome is Outcome.OPEN)


def test_what_is_encrypted_on_one_side_only_is_not_held_against_the_other():
    about = {
        "platform": "formicary",
        "kind": "behaviours",
        "route": "direct",
        "experiment": "messaging/location",
    }
    apart = timed(100, placement="two-containers", **about)
    hosts = [timed(50, placement="two-hosts", hosts=2, tls=tls, **about) for tls in (True, False)]
    assert judge(BY_ID["burbeck-two-hosts"], [apart, hosts[0]]).points == ()
    (point,) = judge(BY_ID["burbeck-two-hosts"], [apart, *hosts]).points
    assert not any(one.tls for one in point.rows)
    needed = judge(BY_ID["burbeck-two-hosts"], [apart]).takes
    assert needed.endswith("--hosts hosts.toml --tls off")


@pytest.mark.parametrize(
    ("claim", "growth", "outcome"),
    [
        ("burbeck-linear", 1.0, Outcome.REFUTED),
        ("burbeck-linear", 6.0, Outcome.REPRODUCED),
        ("burbeck-linear", 20.0, Outcome.REFUTED),
        ("alberola-search-linear", 1.0, Outcome.REFUTED),
        ("alberola-search-linear", 8.0, Outcome.REPRODUCED),
    ],
)
def test_what_does_not_rise_is_not_linear(claim, growth, outcome):
    what = {
        "burbeck-linear": ("messaging/single-pair-size", "behaviours", "payload_bytes", 10_000),
        "alberola-search-linear": ("directory/search", "lookup", "services", 100),
    }
    experiment, kind, size, least = what[claim]
    rows = [
        timed(time, "formicary", kind, experiment=experiment, **{size: most})
        for most, time in ((1, 1), (least, 10), (10 * least, 10 * growth))
    ]
    assert judge(BY_ID[claim], rows).outcome is outcome


@pytest.mark.parametrize(("sustained", "outcome"), [(1.0, Outcome.REFUTED), (0.5, Outcome.REPRODUCED)])
def test_a_rate_that_is_its_own_peak_is_not_below_it(sustained, outcome):
    each = tuple(Each(values=named({PEAK: one, SUSTAINED: sustained * one})) for one in NEAR)
    rows = [row(experiment="mobile/forward-agents", placement="two-containers", loop=1000, each=each)]
    assert judge(BY_ID["dikaiakos-forward-agents"], rows).outcome is outcome


@pytest.mark.parametrize(("behaviours", "outcome"), [(3.0, Outcome.REFUTED), (10.0, Outcome.REPRODUCED)])
def test_many_times_faster_is_more_than_twice(behaviours, outcome):
    rows = [timed(time, "formicary", kind) for kind, time in (("micro", 1.0), ("behaviours", behaviours))]
    assert judge(BY_ID["frantz-micro-agents"], rows).outcome is outcome


def test_jade_makes_the_fewer_rounds_the_more_there_are():
    """As the paper has it: 1000 rounds in 0.25 s, and 100 000 in 888.2 s."""
    rows = [
        timed(seconds * 1e6 / requests, "jade", experiment="service/mediated", requests=requests, pairs=0)
        for requests, seconds in ((1000, 0.25), (100_000, 888.2))
    ]
    (point,) = judge(BY_ID["frantz-jade-rounds"], rows).points
    assert point.outcome is Outcome.REPRODUCED
    assert 1 / point.value.mean == pytest.approx(35.5, rel=0.01)


def test_intervals_hold_at_all_points_together():
    """The more points, the wider each interval: one of many must not refute by chance."""

    def widths(*many):
        rows = [one for pairs in many for one in crowd(100, 80)]
        rows = [
            timed(median, name, pairs=pairs)
            for pairs in many
            for name, median in (("jade", 9), ("madkit", 8))
        ]
        return [
            point.value.high - point.value.low for point in judge(BY_ID["alberola-one-kernel"], rows).points
        ]

    assert widths(150)[0] < widths(150, 200, 300, 400)[0]


def test_growth_is_between_the_ends_of_a_series():
    claim = BY_ID["alberola-search-constant"]
    about = {"platform": "formicary", "kind": "replica", "experiment": "directory/search"}

    def searches(**medians):
        return [timed(median, services=int(many[1:]), **about) for many, median in medians.items()]

    assert judge(claim, searches(_5=10, _10=30, _100=10)).outcome is Outcome.REPRODUCED
    assert judge(claim, searches(_5=10, _10=10, _100=30)).outcome is Outcome.REFUTED
    assert judge(claim, searches(_5=10)).points == ()
    # An answer without services says nothing of those that have five.
    assert judge(claim, searches(_0=5, _5=10, _100=10)).outcome is Outcome.REPRODUCED
    assert judge(claim, searches(_0=5, _100=10)).points == ()


def test_growth_may_be_held_against_that_of_its_size_and_of_others():
    about = {"platform": "formicary", "kind": "behaviours", "placement": "two-containers", "route": "direct"}
    scale = [timed(10 * pairs, pairs=pairs, experiment="messaging/scale", **about) for pairs in (1, 100)]
    (point,) = judge(BY_ID["burbeck-scale"], scale).points
    assert point.value.mean == pytest.approx(1)
    encrypted = [
        timed(base * growth, pairs=pairs, tls=tls, experiment="messaging/encryption", **about)
        for tls, base in ((True, 20), (False, 10))
        for pairs, growth in ((1, 1), (10, 6 if tls else 5))
    ]
    (point,) = judge(BY_ID["burbeck-encryption-pairs"], encrypted).points
    assert point.value.mean == pytest.approx(6 / 5)
    doubled = judge(BY_ID["burbeck-encryption"], encrypted)
    assert doubled.outcome is Outcome.REPRODUCED
    assert len(doubled.points) == 1


def test_shares_memory_and_rates_are_judged_as_well():
    groups = {"agents": 0.6, "communication": 0.2, "runtime": 0.2}
    found = tuple(
        CpuEstimate("both", group, Estimate(share), share, tuple(share * one for one in NEAR))
        for group, share in groups.items()
    )
    # By code most of it is the platform's, which agents call.
    by_code = tuple(replace(one, group="platform") for one in found)
    cpu = CpuEstimates(groups=by_code, strands=found, window_s=1.0)
    profiled = row(experiment="messaging/cpu", profiled=True, cpu=cpu, pairs=100)
    card = judge(BY_ID["alberola-cpu-agents"], [profiled])
    assert card.outcome is Outcome.REPRODUCED
    assert card.points[0].value.mean == pytest.approx(0.6)
    held = row(
        experiment="memory", agents=100, each=tuple(Each(values={HOLDS.name: 45e6 * one}) for one in NEAR)
    )
    assert judge(BY_ID["alberola-memory"], [held]).outcome is Outcome.REFUTED
    created = [
        row(
            experiment="create",
            agents=agents,
            each=tuple(Each(values={CREATION.name: rate * one}) for one in NEAR),
        )
        for agents, rate in ((100, 1000), (10_000, 1500))
    ]
    assert judge(BY_ID["dikaiakos-create"], created).outcome is Outcome.REPRODUCED


def test_sides_are_held_against_each_other_only_at_the_same_work():
    check = Check(
        figure=MEAN.name,
        one=Side(experiments=("messaging/pairs",), subject="madkit"),
        other=Side(experiments=("messaging/pairs",), subject="jade"),
        between=(0, 1),
    )
    claim = Claim(id="x", paper="Alberola 2010", where="", says="", check=check)
    rows = [
        timed(10, "jade", pairs=1),
        timed(10, "jade", pairs=10, payload_bytes=1000),
        timed(10, "jade", pairs=10, placement="two-containers", route="own"),
        timed(5, "madkit", pairs=10),
    ]
    assert judge(claim, rows).points == ()
    assert len(judge(claim, [*rows, timed(10, "jade", pairs=10)]).points) == 1


def test_all_claims_are_judged_in_their_order():
    cards = verdict_on(claims(), [])
    assert [card.claim.id for card in cards] == [claim.id for claim in claims()]
    assert {card.outcome for card in cards} == {Outcome.OPEN}
    assert all(card.takes and not card.takes.endswith(".") for card in cards)
    assert CREATION.name in {card.claim.check.figure for card in cards if card.claim.check}
