"""Those of SPADE's own tests that do not run with our package in SPADE's place."""

from __future__ import annotations

CLIENT = (
    "test_agent.py::test_create_agent",
    "test_agent.py::test_client",
    "test_behaviour.py::test_send_message_to_external_agent",
    "test_behaviour.py::test_send_message_without_sender",
    "test_container.py::test_send_message_to_outer_with_container",
    "test_presence_manager.py::test_update_roster",
)
"""They look at SPADE's XMPP client, call it, or put something into it."""

STANZAS = (
    "test_agent.py::test_receive_without_behaviours",
    "test_behaviour.py::test_receive_with_timeout",
    "test_behaviour.py::test_multiple_templates",
    "test_message.py::test_prepare",
    "test_message.py::test_thread_empty",
    "test_message.py::test_message_from_node",
    "test_message.py::test_body_with_languages",
    "test_presence_manager.py::test_handle_roster_update",
)
"""They make, read or hand over stanzas of slixmpp."""

PRESENCE = ("test_e2e.py::test_presence_subscribe",)
"""It needs accounts, which SPADE's server makes."""

LEFT_OUT = (*CLIENT, *STANZAS, *PRESENCE)
