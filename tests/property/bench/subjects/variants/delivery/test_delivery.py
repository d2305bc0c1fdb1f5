"""Every design of delivery keeps our containers' guarantees: once or a dead letter, and in order."""

from __future__ import annotations

from tests.property.delivery.test_dispatcher import Conservation
from tests.property.searches import at_first

from formicary_bench.subjects.variants.delivery.design import DesignedContainer
from formicary_bench.subjects.variants.delivery.designs import MAKE
from formicary_bench.vocabulary.values import BUFFER, CHAIN, COPIED, ENCODED, HAND_OVER, POOL

SETTINGS = at_first(12, 40, stateful_step_count=25)


class WithDesign(Conservation):
    """Random lives of agents in two containers with a design of delivery."""

    design = ""

    def make_container(self, name, **about):
        return DesignedContainer(name, MAKE[self.design](), **about)


def case(design):
    """Return a test case for one design."""
    machine = type(f"With{design.title()}", (WithDesign,), {"design": design})
    test = machine.TestCase
    test.settings = SETTINGS
    return test


TestHandOver = case(HAND_OVER)
TestPool = case(POOL)
TestBuffer = case(BUFFER)
TestChain = case(CHAIN)
TestCopied = case(COPIED)
TestEncoded = case(ENCODED)
