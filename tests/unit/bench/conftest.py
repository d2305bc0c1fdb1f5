"""What the laboratory's tests share."""

import pytest
from tests.unit.bench.synthetic import create_plan, make_run, plan


@pytest.fixture
def quick_run(tmp_path):
    """A small complete run with two experiments."""
    return make_run(tmp_path / "quick", [*plan(pairs=(1, 10)), *create_plan()])
