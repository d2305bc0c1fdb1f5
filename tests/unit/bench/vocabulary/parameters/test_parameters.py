"""What an experiment declares of its own is found, read with its type, and said with its unit."""

from dataclasses import replace
from typing import Annotated

import msgspec
import pytest

from formicary.errors import UsageError
from formicary_bench.experiments.registry import EXPERIMENTS, all_parameters, with_scope
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.kinds import choice, either
from formicary_bench.vocabulary.parameters import OWN, Parameters, declared_by
from formicary_bench.vocabulary.parameters.shared import PAIRS, PAYLOAD, FromMany, Talk

HEIGHT = replace(PAIRS, name="how-high", unit="floors")


class Climbing(Talk, frozen=True, kw_only=True):
    height: Annotated[int, HEIGHT] = 3
    done: bool = False


class Idle(Parameters, frozen=True, kw_only=True):
    pass


def of(**parameters):
    return Configuration(experiment="messaging/pairs", platform="tasks", parameters=parameters)


def test_what_is_inherited_comes_first_and_what_nobody_can_ask_for_is_none():
    found = declared_by(Climbing)
    assert [(one.name, one.attribute) for one in found] == [
        ("pairs", "pairs"),
        ("payload", "payload_bytes"),
        ("rounds", "rounds"),
        ("how-high", "height"),
    ]
    assert {one.scope for one in found} == {OWN}
    assert declared_by(Idle) == ()


def test_one_of_the_same_field_takes_the_place_of_the_inherited_one():
    assert [one.unit for one in declared_by(FromMany)] == ["senders", "bytes", ""]


def test_what_a_configuration_does_not_have_is_as_declared():
    assert Climbing.of(of(pairs=2, rounds=(1, 2, 3))) == Climbing(pairs=2, rounds=(1, 2, 3), height=3)
    with pytest.raises(msgspec.ValidationError):
        Climbing.of(of(pairs="many"))


def test_a_size_that_is_changed_leaves_the_others_and_is_another_configuration():
    one = of(pairs=2, payload_bytes=7)
    other = one.sized(pairs=3)
    assert other.parameters == {"pairs": 3, "payload_bytes": 7}
    assert one.parameters == {"pairs": 2, "payload_bytes": 7}
    assert len({one, other, one.sized(pairs=2)}) == 2


def test_the_key_has_all_sizes_by_name_in_whatever_order_they_are():
    one, again = of(rounds=(1, 2, 3), payload_bytes=7), of(payload_bytes=7, rounds=(1, 2, 3))
    assert one.key == again.key
    assert one.key == "messaging/pairs/tasks/same-container/in-process/payload-bytes-7-rounds-1-2-3"
    assert of().key.endswith("/in-process/all")


@pytest.mark.parametrize(
    ("parameter", "value", "said"),
    [
        (PAIRS, 1, "1 pair"),
        (PAIRS, 2, "2 pairs"),
        (PAYLOAD, 0, "0 bytes"),
        (replace(PAIRS, unit="messages/s"), 1, "1 messages/s"),
        (replace(PAIRS, unit=""), 5, "5"),
    ],
)
def test_a_value_is_said_with_its_unit(parameter, value, said):
    assert parameter.said(value) == said


def test_of_several_kinds_a_value_is_of_the_first_that_has_it():
    both = either([choice("way", {"there": 1}), choice("way", {"back": 2})])
    assert [both.one("there"), both.one("back")] == [1, 2]
    assert [both.word(1), both.word(2)] == ["there", "back"]
    with pytest.raises(UsageError, match="no way 'up'; choose one of: back"):
        both.one("up")


def test_experiments_with_an_option_of_one_name_have_its_field_in_common():
    fields = {(one.name, one.attribute) for each in EXPERIMENTS.values() for one in each.own}
    assert len(fields) == len({name for name, _ in fields}) == len({field for _, field in fields})
    assert {name for name, _ in fields} == {*with_scope(OWN)}
    names = [one.name for one in all_parameters()]
    assert len(names) == len({*names})


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda one: one.name)
def test_every_size_of_an_experiment_is_one_of_its_parameters(experiment):
    takes = [take for takes in experiment.selected.values() for take in takes]
    presets = [one for one in (experiment.quick, experiment.paper) if one]
    takes += [*presets, *(take for preset in presets for take in preset.parts)]
    for sizes in (experiment.sizes, *(take.sizes for take in takes)):
        assert {*sizes} <= {*experiment.parameters.__struct_fields__}
