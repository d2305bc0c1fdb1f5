"""The designs by name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from formicary_bench.subjects.variants.delivery.chain import Chain
from formicary_bench.subjects.variants.delivery.direct import Copies, HandOver, deep_copy, encoded_copy
from formicary_bench.subjects.variants.delivery.outbox import Outbox
from formicary_bench.vocabulary.designs import BUFFER, CHAIN, COPIED, ENCODED, HAND_OVER, POOL

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary_bench.subjects.variants.delivery.design import Design

WORKERS = 5
"""How many workers deliver in a container of Jade, unless it is built with another number."""

MAKE: dict[str, Callable[[], Design]] = {
    HAND_OVER: HandOver,
    POOL: partial(Outbox, WORKERS),
    BUFFER: partial(Outbox, 1),
    CHAIN: Chain,
    COPIED: partial(Copies, deep_copy),
    ENCODED: partial(Copies, encoded_copy),
}
"""What makes a new one of each."""
