"""The tests' own tools: async tests and the leak check."""

from __future__ import annotations

import json

import pytest
from tests.plugins.paths import ROOT


@pytest.fixture
def run(pytester, monkeypatch):
    """Run one test module in a pytest of its own, with our plugins."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeconftest("""
        pytest_plugins = ["tests.plugins.async_tests", "tests.plugins.leaks"]

        def pytest_configure():
            from tests.plugins import leaks
            leaks.GRACE_SECONDS = 0.1
    """)
    pytester.makeini("[pytest]\nmarkers =\n    virtual_clock: virtual time\n")

    def run_module(source):
        pytester.makepyfile(source)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider")

    return run_module


NEEDS_AN_EXTRA = """
    import pytest

    @pytest.mark.accounts
    def test_accounts():
        pass

    def test_others():
        pass
"""


@pytest.fixture
def run_without(pytester, monkeypatch):
    """Run a module in a pytest where the extra is not installed: `run_without(ci="")`."""

    def run_module(ci):
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        monkeypatch.setenv("CI", ci)
        pytester.makeconftest("""
            pytest_plugins = ["tests.plugins.missing", "tests.plugins.extras"]

            def pytest_configure():
                from tests.plugins import extras
                extras.NEEDED["accounts"] = "a_module_that_nobody_has"
        """)
        pytester.makeini("[pytest]\nmarkers =\n    accounts: needs the extra\n")
        pytester.makepyfile(NEEDS_AN_EXTRA)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-rs")

    return run_module


@pytest.mark.parametrize(
    ("ci", "outcomes"), [("", {"passed": 1, "skipped": 1}), ("true", {"passed": 1, "errors": 1})]
)
def test_what_needs_an_extra_is_left_out_or_fails(run_without, ci, outcomes):
    result = run_without(ci)
    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines(["*pip install 'formicary?accounts?'*"])


@pytest.mark.parametrize(("ci", "outcomes"), [("", {"skipped": 1}), ("true", {"errors": 1})])
def test_what_only_root_may_do_is_left_out_or_fails(pytester, monkeypatch, ci, outcomes):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("CI", ci)
    pytester.makeconftest("""
        pytest_plugins = ["tests.plugins.missing"]

        def pytest_configure():
            import types
            from tests.plugins import missing
            missing.os = types.SimpleNamespace(environ=missing.os.environ, geteuid=lambda: 1000)
    """)
    pytester.makepyfile("def test_something(as_root): pass")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-rs")
    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines(["*only root may do*"])


@pytest.mark.parametrize(("ci", "outcomes"), [("", {"skipped": 1}), ("true", {"errors": 1})])
def test_what_needs_a_browser_is_left_out_or_fails(pytester, monkeypatch, ci, outcomes):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("CI", ci)
    pytester.makeconftest("""
        pytest_plugins = ["tests.plugins.missing", "tests.plugins.browser"]

        def pytest_configure():
            from pathlib import Path
            from tests.plugins import browser
            browser.CHROMIUM = Path("nowhere")
    """)
    pytester.makepyfile("def test_something(page): pass")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-rs")
    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines(["*Chromium is missing: apt-get install chromium*"])


def test_what_a_longer_lived_process_starts_is_its_own_business(run):
    result = run("""
        import subprocess, sys, pytest

        SERVER = "import subprocess, sys; sys.stdin.read(1); subprocess.run(['sleep', '600'])"

        @pytest.fixture(scope="module")
        def server():
            pipe = subprocess.PIPE
            with subprocess.Popen([sys.executable, "-c", SERVER], stdin=pipe, process_group=0) as process:
                yield process
                import os, signal
                os.killpg(process.pid, signal.SIGKILL)

        def test_its_child_stays(server):
            import psutil
            server.stdin.write(b"x")
            server.stdin.flush()
            while not psutil.Process(server.pid).children():
                pass

        def test_our_own_does_not(server):
            subprocess.Popen(["sleep", "600"])
    """)
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*ERROR*test_our_own_does_not*"])


def test_async_tests_run_to_their_end(run):
    result = run("""
        import asyncio, pytest

        @pytest.mark.parametrize("number", [1, 2])
        async def test_good(number, tmp_path):
            await asyncio.sleep(0)
            assert number < 3
            assert tmp_path.exists()

        async def test_bad():
            await asyncio.sleep(0)
            assert 1 == 2
    """)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*assert 1 == 2*"])


def test_each_example_of_hypothesis_runs_in_a_loop_of_its_own(run):
    result = run("""
        import asyncio
        from hypothesis import given, settings, strategies as st

        loops = []

        @settings(max_examples=5, database=None, deadline=None)
        @given(st.integers())
        async def test_property(number):
            await asyncio.sleep(0)
            loops.append(asyncio.get_running_loop())

        def test_it_ran():
            assert len(set(map(id, loops))) == len(loops) > 1
    """)
    result.assert_outcomes(passed=2)


def test_virtual_time_passes_without_waiting(run):
    result = run("""
        import asyncio, pytest

        @pytest.mark.virtual_clock
        async def test_a_day():
            before = asyncio.get_running_loop().time()
            await asyncio.sleep(86_400)
            assert asyncio.get_running_loop().time() - before >= 86_400

        @pytest.mark.virtual_clock
        def test_plain():
            pass
    """)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*virtual_clock is for async tests*"])


def test_a_pending_task_fails_the_test(run):
    result = run("""
        import asyncio

        async def forgotten():
            await asyncio.Event().wait()

        async def test_it():
            task = asyncio.create_task(forgotten(), name="lost")
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*left pending: the tasks lost (forgotten)*"])


def test_an_error_that_only_the_loop_saw_fails_the_test(run):
    result = run("""
        import asyncio

        async def test_it():
            asyncio.get_running_loop().call_soon(lambda: 1 / 0)
            await asyncio.sleep(0)
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*nobody looked at*ZeroDivisionError*"])


DETACH = "import subprocess; subprocess.Popen(['sleep', '61'], start_new_session=True)"
LEAKS = {
    "thread": (
        "threading.Thread(target=threading.Event().wait, daemon=True, name='lost').start()",
        "the thread lost",
    ),
    "child": ("kept.append(subprocess.Popen(['sleep', '60']))", "the process * (sleep 60)"),
    "detached": ("subprocess.run([sys.executable, '-c', DETACH], check=True)", "the process * (sleep 61)"),
    "zombie": (
        "kept.append(subprocess.Popen(['true'])); os.waitid(os.P_PID, kept[-1].pid, os.WEXITED | os.WNOWAIT)",
        "the process * (ended, and nobody waited for it)",
    ),
    "socket": ("kept.append(socket.create_server(('127.0.0.1', 0)))", "the socket 127.0.0.1:* LISTEN"),
    "file": ("kept.append(open(__file__))", "the open file */test_*.py"),
    "loop": ("kept.append(asyncio.new_event_loop())", "the open file anon_inode:*eventpoll*"),
}


def test_what_is_left_behind_fails_the_test_that_left_it(run):
    tests = "".join(
        f"def test_{kind}():\n    {statement}\ndef test_innocent_after_{kind}(): pass\n"
        for kind, (statement, _) in LEAKS.items()
    )
    result = run(
        f"import asyncio, os, socket, subprocess, sys, threading\nDETACH = {DETACH!r}\nkept = []\n{tests}"
    )
    result.assert_outcomes(passed=2 * len(LEAKS), errors=len(LEAKS))
    for kind, (_, said) in LEAKS.items():
        result.stdout.fnmatch_lines_random([f"*the test left behind: {said}", f"ERROR *::test_{kind}*"])


def test_a_detached_process_that_was_left_is_ended(run):
    result = run(f"""
        import subprocess, sys, psutil

        def test_leaving():
            subprocess.run([sys.executable, "-c", {DETACH!r}], check=True)

        def test_it_is_gone():
            running = psutil.process_iter(["cmdline", "status"])
            assert ["sleep", "61"] not in [process.info["cmdline"] for process in running]
    """)
    result.assert_outcomes(passed=2, errors=1)


def test_what_a_fixture_holds_is_no_leak(run):
    result = run("""
        import socket, threading, pytest

        @pytest.fixture(scope="module")
        def shared():
            with socket.create_server(("127.0.0.1", 0)) as server:
                yield server

        @pytest.fixture
        def own():
            done = threading.Event()
            thread = threading.Thread(target=done.wait)
            thread.start()
            yield
            done.set()
            thread.join()

        def test_first(shared, own): pass
        def test_second(shared, own): pass
    """)
    result.assert_outcomes(passed=2)


def test_what_is_there_after_collecting_is_left_alone_and_new_garbage_is_not(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeconftest('pytest_plugins = ["tests.plugins.garbage"]')
    pytester.makepyfile("""
        import gc
        import weakref

        class Cycle:
            def __init__(self):
                self.itself = self

        EARLIER = Cycle()

        def test_garbage():
            assert gc.isenabled()
            assert not any(each is EARLIER for each in gc.get_objects())
            gone = weakref.ref(Cycle())
            gc.collect()
            assert gone() is None
    """)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


@pytest.fixture
def run_tiers(pytester, monkeypatch):
    """Run a module with the two tiers, and give the names of the tests that ran."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeconftest('pytest_plugins = ["tests.plugins.tiers"]')

    def run_module(source, *arguments):
        pytester.makepyfile(source)
        result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-v", *arguments)
        return [line.split("::")[1].split(" ")[0] for line in result.outlines if " PASSED" in line]

    return run_module


TIERS = """
    import pytest

    @pytest.mark.full("takes long")
    def test_long(): pass

    @pytest.mark.parametrize("each", ["a", pytest.param("b", marks=pytest.mark.full("as above"))])
    def test_some(each): pass

    @pytest.mark.grid
    @pytest.mark.parametrize(("route", "tls"), [("direct", 0), ("direct", 1), ("xmpp", 0)])
    @pytest.mark.parametrize("kind", ["plain", "micro", "spade", "none"])
    def test_grid(kind, route, tls): pass
"""


def test_what_takes_long_and_most_of_a_grid_is_for_the_second_tier(run_tiers):
    first = run_tiers(TIERS)
    assert [test for test in first if "grid" not in test] == ["test_some[a]"]
    grid = [test for test in first if "grid" in test]
    assert len(grid) == 4
    assert all(any(value in test for test in grid) for value in ("plain", "micro", "spade", "none"))
    assert all(any(value in test for test in grid) for value in ("direct-0", "direct-1", "xmpp-0"))
    assert len(run_tiers(TIERS, "--full")) == 1 + 2 + 12


def test_a_grid_may_have_each_pair(run_tiers):
    axes = "".join(f"    @pytest.mark.parametrize('{name}', range(3))\n" for name in "abcd")
    ran = run_tiers(
        f"    import pytest\n\n    @pytest.mark.grid(2)\n{axes}    def test_grid(a, b, c, d): pass\n"
    )
    values = [test.partition("[")[2].rstrip("]").split("-") for test in ran]
    assert 9 <= len(values) < 20
    for one in range(4):
        for other in range(one):
            assert len({(each[one], each[other]) for each in values}) == 9


def test_a_test_sees_nothing_of_the_caller_s_folder_home_and_environment(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("HOME", str(pytester.path))
    monkeypatch.setenv("XDG_STATE_HOME", str(pytester.path))
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    monkeypatch.setenv("NO_COLOR", "1")
    pytester.makeconftest('pytest_plugins = ["tests.plugins.isolation"]')
    pytester.makepyfile("""
        import os
        from pathlib import Path

        import pytest

        seen = []

        @pytest.mark.parametrize("number", [1, 2])
        def test_own(number):
            assert not {"XDG_STATE_HOME", "SLURM_JOB_ID", "NO_COLOR"} & {*os.environ}
            assert Path.cwd() == Path.home()
            assert list(Path.cwd().iterdir()) == []
            Path("left").touch()
            assert Path.cwd() not in seen
            seen.append(Path.cwd())

        def test_gone():
            assert len(seen) == 2
            assert not any(place.exists() for place in seen)
    """)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=3)


def test_of_each_test_it_is_written_down_what_it_took(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeconftest('pytest_plugins = ["tests.plugins.costs"]')
    pytester.makepyfile("""
        import subprocess, sys, time
        BUSY = "import time\\nwhile time.process_time() < 0.2: pass"

        def test_busy():
            subprocess.run([sys.executable, "-c", BUSY], check=True)

        def test_idle(): pass
    """)
    for number, arguments in enumerate([(), ("-n", "2")]):
        file = pytester.path / f"{number}.json"
        pytester.runpytest_subprocess("-p", "no:cacheprovider", f"--costs={file}", *arguments)
        costs = json.loads(file.read_text())
        (busy,) = [cpu for test, (_, cpu) in costs.items() if test.endswith("::test_busy")]
        (idle,) = [cpu for test, (_, cpu) in costs.items() if test.endswith("::test_idle")]
        assert busy > 0.1 > idle
        assert ("collecting" in costs) == bool(arguments)
