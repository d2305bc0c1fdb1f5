"""Our agents in a container that delivers messages by another platform's design."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from formicary_bench.subjects.ours import behaviours
from formicary_bench.subjects.variants.delivery.design import DesignedContainer
from formicary_bench.subjects.variants.delivery.designs import MAKE

if TYPE_CHECKING:
    from formicary import Container
    from formicary_bench.worker.workload import Workload


def container(work: Workload, name: str) -> Container:
    """Make a container with the configured design of delivery."""
    return DesignedContainer(name, MAKE[work.configuration.kind](), seed=work.job.seed)


both = replace(behaviours.ROLES, make=container).both
