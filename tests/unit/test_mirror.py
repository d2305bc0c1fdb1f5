"""From a module to its test without searching: tests lie as packages lie, and are named after what they test.

`formicary/core/message.py` is tested by `test_message*.py` in `core/` of `unit`, `property` or `integration`;
or all modules of a room together by a test named after the room, as in `transport/link/test_link_many.py`.
The laboratory's rooms are below `bench/`. What is tested elsewhere is in the table here.
"""

from __future__ import annotations

import ast
from functools import cache

from tests.plugins.paths import ROOT

SOURCES = {"platform/formicary": "", "benchmarks/formicary_bench": "bench/"}
KINDS = ("unit", "property", "integration")

ELSEWHERE = {  # modules, or whole rooms, and the test that comes nearest
    "/__main__": "integration/cli/test_interrupted.py",
    "bench/experiments/create/report": "unit/bench/reports/document/test_document_sentences.py",
    "bench/experiments/messaging": "unit/bench/runner/planning/test_planning.py",
    "bench/files": "unit/bench/plans/test_plans.py",
    "bench/remote/checks/facts": "unit/bench/remote/checks/test_judging.py",
    "bench/remote/launchers/joining/join": "unit/bench/remote/launchers/joining/test_gathering.py",
    "bench/remote/launchers/joining/meeting": "unit/bench/remote/launchers/joining/test_gathering.py",
    "bench/remote/launchers/streams": "integration/bench/remote/launchers/test_local.py",
    "bench/remote/ssh": "integration/bench/remote/ssh/test_connection.py",
    "bench/reports/charts": "unit/bench/reports/charts/test_lines.py",
    "bench/reports/formatting": "unit/bench/reports/document/test_document_sentences.py",
    "bench/statistics/effects": "unit/bench/statistics/test_comparisons.py",
    "bench/statistics/estimates": "unit/bench/experiments/memory/test_memory.py",
    "bench/statistics/gates": "unit/bench/statistics/test_comparisons.py",
    "bench/statistics/percentiles": "unit/bench/statistics/test_intervals.py",
    "bench/statistics/ratios": "unit/bench/statistics/test_intervals.py",
    "bench/statistics/slopes": "unit/bench/statistics/test_tests.py",
    "bench/statistics/stability": "unit/bench/statistics/test_warmup.py",
    "bench/subjects": "unit/bench/subjects/test_registry.py",
    "bench/subjects/baselines": "integration/bench/runner/execution/test_execution_run.py",
    "bench/subjects/ours": "integration/bench/runner/execution/test_execution_run.py",
    "bench/subjects/variants": "integration/bench/experiments/messaging/designs/test_designs.py",
    "bench/vocabulary": "unit/bench/runner/planning/test_options.py",
    "bench/vocabulary/parameters": "unit/bench/runner/planning/test_options.py",
    "core/base_agent": "unit/core/test_agent_lifecycle.py",
    "core/clock": "unit/testing/test_virtual_clock.py",
    "core/errors": "unit/fipa/test_language.py",
    "core/conversing": "unit/protocols/test_conversations.py",
    "core/importing": "unit/management/requests/test_creation.py",
    "core/fsm": "unit/core/test_behaviours_kinds.py",
    "core/task_like": "unit/core/test_strand.py",
    "directory/central/answering": "unit/directory/central/test_agent.py",
    "directory/central/claims": "unit/directory/central/test_client_restart.py",
    "directory/central/draft": "unit/directory/central/test_ledger.py",
    "directory/central/hosted": "integration/mobility/test_belongings.py",
    "directory/enquiries": "integration/management/test_guests.py",
    "directory/model/interests": "unit/directory/central/test_interests.py",
    "directory/model/watches": "integration/directory/test_interface.py",
    "directory/proxy": "integration/management/test_guests.py",
    "fipa/control_codec": "unit/management/membership/test_membership.py",
    "fipa/management_agent": "integration/management/requests/test_requests.py",
    "live/acting": "unit/live/test_feed.py",
    "live/joined": "unit/live/test_feed.py",
    "live/terminal/dialogs": "unit/live/terminal/test_app.py",
    "live/terminal/tables": "unit/live/terminal/test_app.py",
    "local/orders": "integration/local/test_platform.py",
    "local/performing": "integration/local/test_platform.py",
    "local/process": "integration/local/test_platform.py",
    "local/worker": "integration/local/test_platform.py",
    "mobility/behaviours": "unit/mobility/test_snapshot.py",
    "mobility/declared": "unit/mobility/test_snapshot.py",
    "mobility/departing": "integration/mobility/test_service.py",
    "mobility/kinds": "unit/mobility/test_snapshot.py",
    "mobility/on_demand": "integration/mobility/test_service.py",
    "mobility/plain": "property/mobility/test_snapshot.py",
    "mobility/remains": "unit/mobility/test_rest.py",
    "mobility/telling": "integration/mobility/test_service.py",
    "mobility/transit": "integration/mobility/test_requests.py",
    "observe/events": "unit/live/test_feed.py",
    "observe/following": "unit/testing/test_recorded.py",
    "observe/looking": "unit/observe/test_collector.py",
    "observe/state": "unit/observe/test_recording.py",
    "observe/tapping": "unit/observe/test_collector.py",
    "observe/rates": "unit/observe/test_metrics.py",
    "protocols/diagrams": "unit/protocols/test_table.py",
    "protocols/dialogue": "property/protocols/test_conversations.py",
    "protocols/exchange": "unit/protocols/test_requesting.py",
    "protocols/news": "unit/protocols/test_requesting.py",
    "protocols/partners": "unit/protocols/test_requesting.py",
    "protocols/questions": "unit/protocols/test_conversations.py",
    "protocols/responding": "unit/protocols/test_requesting.py",
    "protocols/several": "unit/protocols/test_auctions.py",
    "protocols/standard": "unit/protocols/test_table.py",
    "protocols/service": "unit/protocols/test_conversations.py",
    "protocols/part": "unit/protocols/test_requesting.py",
    "protocols/turn": "unit/protocols/test_requesting.py",
    "profiling/analysis": "unit/profiling/analysis/test_flame.py",
    "profiling/model": "unit/profiling/model/test_groups.py",
    "profiling/sampling": "integration/profiling/test_profile.py",
    "testing/line_transport": "unit/testing/test_network.py",
    "testing/memory_line": "unit/testing/test_network.py",
    "testing/pytest_plugin": "unit/testing/test_recorded.py",
}


def has_code(path):
    """Tell whether there is something to test: the body of a function."""
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    functions = [node for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return any(len(node.body) > 1 or not isinstance(node.body[0], ast.Expr) for node in functions)


def modules():
    """Return all modules that can be tested, as their rooms and names."""
    for source, shelf in SOURCES.items():
        for path in sorted((ROOT / source).rglob("*.py")):
            room = shelf + path.parent.relative_to(ROOT / source).as_posix()
            if path.stem != "__init__" and "drivers/python" not in room and has_code(path):
                yield room.removesuffix("/.").removeprefix("."), path.stem


def is_tested(room, name):
    here = [path for kind in KINDS for path in (ROOT / "tests" / kind / room).glob("test_*.py")]
    own = {f"test_{name}", f"test_{room.rpartition('/')[2]}"}
    return any(path.stem == test or path.stem.startswith(f"{test}_") for path in here for test in own)


@cache
def untested():
    return [(room, name) for room, name in modules() if not is_tested(room, name)]


def test_each_module_has_its_test():
    assert [
        f"{room}/{name}" for room, name in untested() if not {f"{room}/{name}", room} & ELSEWHERE.keys()
    ] == []


def test_what_is_tested_elsewhere_is_there_and_has_no_test_of_its_own():
    assert [test for test in ELSEWHERE.values() if not (ROOT / "tests" / test).is_file()] == []
    known = {room for room, _ in untested()} | {"/".join(module) for module in untested()}
    assert ELSEWHERE.keys() - known == set()
