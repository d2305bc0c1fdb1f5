"""What tests of real, tiny runs share."""

import json
from contextlib import suppress
from dataclasses import dataclass

import psutil
import pytest

from formicary.cli import main
from formicary_bench.runner.execution.run import perform_all
from formicary_bench.runner.planning.run_plan import of_one


@dataclass
class Ended:
    code: int
    out: str
    err: str

    @property
    def rows(self):
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch, request):
    """Give each test an empty cache, except tests about the drivers of this machine."""
    if request.node.get_closest_marker("drivers") is None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def bench(tmp_path, monkeypatch, capsys):
    """Run `formicary bench` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["bench", *map(str, arguments)])
        return Ended(ended.value.code or 0, *capsys.readouterr())

    return call


@pytest.fixture
def started():
    """Return a function that returns the processes started by the test, and their descendants.

    There may be others: the browser, which all tests share that need one.
    """
    before = psutil.Process().children()

    def running():
        found = [child for child in psutil.Process().children() if child not in before]
        for child in [*found]:
            with suppress(psutil.NoSuchProcess):
                found += child.children(recursive=True)
        return found

    return running


class Silent:
    """A listener that only records; `during` is called on progress."""

    def __init__(self, during=None):
        self.said = []
        self.begun = []
        self.remaining = []
        self.during = during

    def say(self, sentence):
        self.said.append(sentence)

    def plan(self, folder, configurations, repetitions):
        self.planned = configurations, repetitions

    def begin(self, configuration):
        self.begun.append(configuration)

    def advance(self, done, at_ns):
        if self.during:
            self.during(done)

    def end(self):
        pass

    def remains(self, seconds):
        self.remaining = [*self.remaining, seconds]


@pytest.fixture
def silent():
    return Silent


def perform(options, output, listener, selection=None):
    """Measure everything that the options request."""
    return perform_all(of_one(options), output, listener, selection)


def runs(process, module):
    """Return whether a process runs a module; an ended one does not."""
    with suppress(psutil.NoSuchProcess):
        return module in process.cmdline()
    return False
