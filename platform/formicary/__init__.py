"""Formicary: a multi-agent platform.

The names that programs need are importable from here, and the types that they return from the packages;
`docs/api.md` lists both. `docs/design.md` describes all packages.
"""

TYPE_CHECKING = False  # as typing has it, which takes as long to load as all of this

if TYPE_CHECKING:
    from formicary.container.container import Container
    from formicary.container.options import Limits, Network, Services
    from formicary.core.agent import Agent
    from formicary.core.base_agent import AgentState
    from formicary.core.behaviours import (
        CyclicBehaviour,
        OneShotBehaviour,
        PeriodicBehaviour,
        TimeoutBehaviour,
    )
    from formicary.core.errors import FormicaryError
    from formicary.core.fsm import FSMBehaviour, State
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.core.template import Template
    from formicary.core.thread_behaviour import ThreadBehaviour
    from formicary.delivery.dead_letters import DeadLetter
    from formicary.delivery.instruments import Instrument
    from formicary.gateway.gateway import Gateway
    from formicary.local.platform import LocalPlatform
    from formicary.mobility.itinerary import Itinerary
    from formicary.xmpp.agent import XmppAgent

    __version__: str

CPU_GROUP = "platform"

__all__ = [
    "Agent",
    "AgentState",
    "Container",
    "CyclicBehaviour",
    "DeadLetter",
    "FSMBehaviour",
    "FormicaryError",
    "Gateway",
    "Instrument",
    "Itinerary",
    "Limits",
    "LocalPlatform",
    "Message",
    "MicroAgent",
    "Network",
    "OneShotBehaviour",
    "PeriodicBehaviour",
    "Services",
    "State",
    "Template",
    "ThreadBehaviour",
    "TimeoutBehaviour",
    "XmppAgent",
    "__version__",
]

_PLACES = {
    "Agent": "core.agent",
    "AgentState": "core.base_agent",
    "Container": "container.container",
    "CyclicBehaviour": "core.behaviours",
    "DeadLetter": "delivery.dead_letters",
    "FSMBehaviour": "core.fsm",
    "FormicaryError": "core.errors",
    "Gateway": "gateway.gateway",
    "Instrument": "delivery.instruments",
    "Itinerary": "mobility.itinerary",
    "Limits": "container.options",
    "LocalPlatform": "local.platform",
    "Message": "core.message",
    "MicroAgent": "core.micro",
    "Network": "container.options",
    "OneShotBehaviour": "core.behaviours",
    "PeriodicBehaviour": "core.behaviours",
    "Services": "container.options",
    "State": "core.fsm",
    "Template": "core.template",
    "ThreadBehaviour": "core.thread_behaviour",
    "TimeoutBehaviour": "core.behaviours",
    "XmppAgent": "xmpp.agent",
}


def __getattr__(name: str) -> object:
    """Load what is asked for: the command is to be there before all that it may need."""
    found: object
    if name == "__version__":
        found = _version()
    elif name in _PLACES:
        from importlib import import_module

        found = getattr(import_module(f"formicary.{_PLACES[name]}"), name)
    else:
        raise AttributeError(f"module 'formicary' has no attribute {name!r}")
    globals()[name] = found
    return found


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("formicary")
    except PackageNotFoundError:
        return "0+unknown"  # as the files lie there, installed by nobody


def __dir__() -> list[str]:
    return __all__
