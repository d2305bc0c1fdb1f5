"""The sizes of the experiments as Alberola 2010 and Burbeck 2004 set them: `--preset paper`.

Where the papers say nothing of something, an experiment keeps what is usual here. Alberola's round trips
(500, 1000, 500) and 100 uses of the directory are usual here, too. Both papers measure most of it on two
hosts: with `--hosts` it is measured where they did, and without in one process and between two.
"""

from __future__ import annotations

from formicary_bench.experiments.catalogue import (
    ALONE_ROUNDS,
    DEREGISTER,
    DESIGNS,
    ENCRYPTION,
    LOCATION,
    LOWER_BOUND,
    MANY_TO_ONE,
    MEMORY,
    MESSAGING_CPU,
    NETWORK,
    PAIRS,
    REGISTER,
    REGISTER_CPU,
    SCALE,
    SEARCH,
    SEARCH_CPU,
    SINGLE_PAIR_SIZE,
    SIZE,
    TWO_KB,
    Part,
)
from formicary_bench.experiments.presets.sizes import Sizes
from formicary_bench.vocabulary.placements import APART, SAME, TWO_HOSTS

_EVERYWHERE = (SAME, APART, TWO_HOSTS)
_ONE_OR_TWO = (SAME, TWO_HOSTS)
_TWO = (TWO_HOSTS,)

_PAIRS = (1, 10, 50, 100, 150, 200)
_HUNDRED = 100
"""How often Alberola 2010 repeats what is not made of many round trips by itself: CPU time and memory."""

# The text names no numbers of services but that it is about more than 200 of them (Section 5.3.2).
_SERVICES = (0, 100, 200, 300, 400)

_TEN = 10
"""How often Burbeck 2004 repeats everything."""

# Burbeck lets several pairs make 10 000 round trips so that their begin and end do not matter. Here they have
# phases of their own, and come before and after as well.
_LONG = (500, 10_000, 500)
_TO_TEN = tuple(range(1, 11))

# The text names the ends alone.
_TO_100_KB = (0, 1000, 10_000, 25_000, 50_000, 75_000, 100_000)

PAPERS: dict[str, Sizes] = {
    PAIRS.name: Sizes(loads=_PAIRS, placements=_EVERYWHERE),
    MANY_TO_ONE.name: Sizes(loads=_PAIRS, placements=_TWO),
    # Burbeck's sizes, 0 to 100 KB with one pair, lie within these.
    SIZE.name: Sizes(loads=(50,), payloads=(1, 10, 100, 1000, 10_000, 100_000), placements=_TWO),
    # Figures 10 and 11 have more and more pairs; those of the other figures are taken.
    LOWER_BOUND.name: Sizes(loads=_PAIRS, repeat=_HUNDRED, placements=_ONE_OR_TWO),
    LOCATION.name: Sizes(
        loads=_TO_TEN, payloads=(TWO_KB,), rounds=_LONG, repeat=_TEN, placements=_EVERYWHERE
    ),
    SINGLE_PAIR_SIZE.name: Sizes(loads=(1,), payloads=_TO_100_KB, repeat=_TEN, placements=_TWO),
    SCALE.name: Sizes(
        loads=(*_TO_TEN, *range(20, 101, 10)),
        payloads=(TWO_KB,),
        rounds=_LONG,
        repeat=_TEN,
        placements=_ONE_OR_TWO,
    ),
    ENCRYPTION.name: Sizes(
        repeat=_TEN,
        placements=_TWO,
        parts=(
            Part(
                ENCRYPTION,
                loads=(1,),
                payloads=_TO_100_KB,
                placements=ENCRYPTION.placements,
                rounds=ALONE_ROUNDS,
            ),
            Part(
                ENCRYPTION,
                loads=_TO_TEN,
                payloads=(TWO_KB,),
                placements=ENCRYPTION.placements,
                rounds=_LONG,
            ),
        ),
    ),
    # The designs of its platforms, which Section 5.1 explains its figures by.
    DESIGNS.name: Sizes(loads=_PAIRS, placements=(SAME, APART)),
    REGISTER.name: Sizes(services=_SERVICES, placements=_ONE_OR_TWO),
    DEREGISTER.name: Sizes(services=_SERVICES, placements=_ONE_OR_TWO),
    SEARCH.name: Sizes(services=_SERVICES, placements=_ONE_OR_TWO),
    MEMORY.name: Sizes(agents=(100,), repeat=_HUNDRED, placements=(SAME,)),
    NETWORK.name: Sizes(loads=_PAIRS, placements=_TWO),
    MESSAGING_CPU.name: Sizes(loads=(100,), repeat=_HUNDRED, placements=_ONE_OR_TWO),
    REGISTER_CPU.name: Sizes(services=(200,), repeat=_HUNDRED, placements=_ONE_OR_TWO),
    SEARCH_CPU.name: Sizes(services=(200,), repeat=_HUNDRED, placements=_ONE_OR_TWO),
}
"""By the names of the experiments; those that are of neither paper are not there."""
