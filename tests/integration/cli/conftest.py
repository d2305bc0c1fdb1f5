from __future__ import annotations

import pytest
from tests.integration.cli.platforms import Lab


@pytest.fixture
def lab(tmp_path):
    """Give a place where platforms can run that know nothing of others on this host."""
    return Lab(tmp_path)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """Give a place where a platform of two containers runs, c1 and c2."""
    lab = Lab(tmp_path_factory.mktemp("platform"))
    with lab.run("--listen"), lab.run("--name", "c2", "--join", "c1"):
        lab.until(lambda: "c2 " in lab.said("ps"))
        lab.until(lambda: "laser@c2" in lab.said("df", "list"))
        yield lab
