"""Leaves out what needs PostgreSQL where it is not installed."""

import os

import pytest
from tests.plugins.missing import leave_out

from formicary.errors import FormicaryError
from formicary_bench.experiments.mobile.web_shop import postgresql_server


@pytest.fixture(autouse=True)
def postgresql(request):
    """Skip marked tests if there is neither a server nor its programs."""
    if request.node.get_closest_marker("postgresql") is None or postgresql_server.GIVEN in os.environ:
        return
    if lacks := _lacks():
        leave_out(lacks)


def _lacks():
    try:
        postgresql_server._programs()
        postgresql_server._account()
    except FormicaryError as error:
        return str(error)
    return ""
