"""Objects carried by each message, in several encodings: `messaging/serialisation`.

Both agents encode what they send and decode what they receive. Without an encoding, a text as long as the
object's JSON is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from formicary_bench.experiments.experiment import Experiment, Figure, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY, OURS
from formicary_bench.vocabulary.kinds import choice, whole
from formicary_bench.vocabulary.metrics import MEAN, P99, TIME
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import ROUNDS, Exchange, Rounds
from formicary_bench.vocabulary.places import APART, SAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary_bench.runner.planning.drafts import Draft

    Codec = tuple[Callable[[Any], str | bytes], Callable[[Any], Any]]

NONE, JSON, FAST_JSON, MSGPACK = CODECS = "none", "json", "msgspec-json", "msgpack"

_FIELDS, _FEWEST, _MOST = 50_000, 100, 20_000  # measured: fields in all round trips, and round trips

CODEC = Parameter(
    name="codec",
    kind=choice("codec", CODECS),
    in_label=True,
    metavar="CODEC,...",
    help="How objects are encoded: not at all, with Python's json, or with msgspec as JSON or MessagePack.",
    example=[JSON, MSGPACK],
)
FIELDS = Parameter(
    name="fields",
    kind=whole(1, 10_000),
    unit="fields",
    help="Number of fields of an object, each with an integer, a float and a string.",
    example=[1, 100],
    few=100,
)


class Encoded(Exchange, frozen=True, kw_only=True):
    """A pair that sends objects back and forth."""

    codec: Annotated[str, CODEC] = ""
    fields: Annotated[int, FIELDS] = 0
    rounds: Annotated[Rounds, ROUNDS] = (0, 0, 0)
    pairs: int = 1


EXPERIMENT = Experiment(
    name="messaging/serialisation",
    title="Objects in messages, by encoding",
    what="round-trip time of messages with objects that are encoded and decoded, by encoding and size",
    source="our own; the serialisation that Alberola 2010 leaves for the future",
    parameters=Encoded,
    varies=("placement", "route", "tls"),
    sizes={"codec": CODECS, "fields": (1, 10, 100, 1000)},
    placements=(SAME, APART),
    subjects=(OURS,),
    quick=Preset(
        sizes={"codec": (NONE, JSON), "fields": (10,), "rounds": (500, 2000, 0)},
        parts=(Take(placements=(SAME,), carriers=DIRECTLY),),
    ),
    paper=Preset(repeat=10),
    fit=Loaded("formicary_bench.experiments.messaging.serialisation:with_rounds"),
    played_by="formicary_bench.subjects.ours.serialising",
    metrics=(MEAN, TIME, P99),
    main=TIME,
    over="fields",
    figures=(Figure(metric=TIME, over="fields"),),
    says="{where}, {who}: an object of {fields} goes to and fro within {rtt_p50_us} (median).",
)


def with_rounds(draft: Draft) -> Iterator[Draft]:
    """Yield a draft with its round trips; fewer for large objects, to take a few tenths of a second."""
    measured = min(max(_FIELDS // draft.sizes["fields"], _FEWEST), _MOST)
    yield draft.sized(pairs=1, rounds=draft.asked_rounds or (measured // 4, measured, 0))


def codec_of(sizes: Encoded) -> Codec:
    import json

    import msgspec

    text = json.dumps(record(sizes.fields))
    codecs: dict[str, Codec] = {
        NONE: (lambda _: text, lambda body: body),
        JSON: (json.dumps, json.loads),
        FAST_JSON: (msgspec.json.encode, msgspec.json.decode),
        MSGPACK: (msgspec.msgpack.encode, msgspec.msgpack.decode),
    }
    return codecs[sizes.codec]


def record(fields: int) -> dict[str, Any]:
    """Return an object with a number of fields."""
    return {f"field-{number}": [number, number / 3, f"value {number}"] for number in range(fields)}
