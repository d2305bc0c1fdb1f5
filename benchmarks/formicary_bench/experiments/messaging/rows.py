"""How rows are made of messages with objects: each encoding is held against none."""

from __future__ import annotations

from formicary_bench.experiments.messaging.serialisation import NONE
from formicary_bench.results.summary.declared import against
from formicary_bench.results.summary.round_trips import exchanges
from formicary_bench.vocabulary.metrics import TIME

BY_CODEC = exchanges(has_rate=False, compared_by=(TIME,), is_held_against=against("codec", NONE))
