"""An ejabberd cluster of two nodes, one of which is killed."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.faults.cluster import SCENARIOS, Figures, measure, row
from tests.faults.ledger import Account
from tests.integration.server.federation.ejabberd import PROGRAM
from tests.plugins.missing import leave_out

from formicary.transport.link.failure_detector import GIVE_UP


@pytest.mark.ejabberd
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("as_root")
@pytest.mark.full("takes minutes")
@pytest.mark.parametrize("name", SCENARIOS)
def test_no_message_is_lost_without_a_word(name):
    if not PROGRAM.exists():
        leave_out("ejabberd is not installed: docs/ejabberd.md says what to do before that")
    figures = asyncio.run(measure(name, 1))
    assert not figures.problems
    # A node that takes longer to start than containers wait for it, as on a busy machine, is as good as gone.
    may_fail = name in {"gone", "split"} or max(figures.away, default=0) > GIVE_UP
    assert may_fail or not figures.account.failed


def test_a_line_of_the_table_has_what_became_of_the_messages():
    account = replace(Account(), sent=12345, received=12000, failed=346, both=1)
    said = row("gone", Figures(account, [3.14, 31.4], [7, 8]))
    expected = "| 12 345 | 12 000 | 346 | 1 | 7.0 to 8.0 s | 3.1 to 31.4 s |"
    assert said.replace("\N{NO-BREAK SPACE}", " ").endswith(expected)
