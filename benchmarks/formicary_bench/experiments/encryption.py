"""The parts of `messaging/encryption`: one pair with messages of many sizes, many pairs with those of one."""

from formicary_bench.experiments.catalogue import ENCRYPTION, SINGLE_PAIR_SIZE, Part

PARTS = (
    Part(
        ENCRYPTION,
        loads=SINGLE_PAIR_SIZE.loads,
        payloads=SINGLE_PAIR_SIZE.payloads,
        placements=ENCRYPTION.placements,
    ),
    Part(ENCRYPTION, loads=ENCRYPTION.loads, payloads=ENCRYPTION.payloads, placements=ENCRYPTION.placements),
)
