"""What extensions of the platform use beside agents and containers, as the rooms at its edge do."""

from formicary.core.clock import now, seconds_until
from formicary.core.coroutines import WAIT, coroutine_function, pause
from formicary.core.event_loop import loop_factory
from formicary.core.exports import exporter
from formicary.core.logs import get_logger
from formicary.core.mailbox import Deliver, MessageSink
from formicary.core.message import FORM_PARAMETERS, FORM_TITLE
from formicary.core.names import (
    MANAGEMENT,
    check_local,
    check_platform,
    check_receiver,
    complete_for,
    is_container_of,
)
from formicary.core.quoting import sentence, shorten
from formicary.core.times import check_duration, check_seconds
from formicary.core.tracebacks import as_raised
from formicary.delivery.dead_letters import is_failure
from formicary.transport.remote_sink import RemoteSink

__all__ = [
    "FORM_PARAMETERS",
    "FORM_TITLE",
    "MANAGEMENT",
    "WAIT",
    "Deliver",
    "MessageSink",
    "RemoteSink",
    "as_raised",
    "check_duration",
    "check_local",
    "check_platform",
    "check_receiver",
    "check_seconds",
    "complete_for",
    "coroutine_function",
    "exporter",
    "get_logger",
    "is_container_of",
    "is_failure",
    "loop_factory",
    "now",
    "pause",
    "seconds_until",
    "sentence",
    "shorten",
]
