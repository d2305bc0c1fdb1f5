"""Creating an agent with an account of its own."""

from __future__ import annotations

import pytest

from formicary import XmppAgent
from formicary.errors import UsageError


@pytest.mark.parametrize(
    ("given", "kind"),
    [(("alice@example.org", "secret"), "str"), ((None,), "NoneType"), ((("x", "secret"),), "tuple")],
)
def test_anything_but_an_account_is_refused_with_what_to_write(given, kind):
    with pytest.raises(UsageError) as raised:
        XmppAgent(*given)
    assert str(raised.value) == (
        "an XmppAgent takes its account as formicary.server.AccountAddress('lab@example.org', "
        f"password), not {kind}"
    )
