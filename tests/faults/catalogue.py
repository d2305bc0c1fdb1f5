"""All faults, in the order of the table."""

from __future__ import annotations

from tests.faults import of_all, of_containers, of_networks, of_servers
from tests.faults.fault import FAULTS, Fault

__all__ = ["FAULTS", "Fault"]

_ORDER = [module.__name__ for module in (of_servers, of_networks, of_containers, of_all)]
FAULTS.sort(key=lambda fault: _ORDER.index(fault.cause.__module__))
