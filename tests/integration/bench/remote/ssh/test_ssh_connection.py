"""Short commands on a host."""

from __future__ import annotations

import asyncio

import pytest

from formicary_bench.remote.errors import HostError
from formicary_bench.remote.ssh import connection
from formicary_bench.remote.ssh.connection import Web


@pytest.fixture
def run(hosts, clean):
    """Give a function that runs a command on the first host."""

    def run(*args, stdin=b"", timeout=20.0):
        async def perform():
            web = Web(hosts)
            try:
                there = await web.connect(hosts[0].name)
                assert there is await web.connect(hosts[0].name)
                return await there.run(args, stdin, timeout=timeout)
            finally:
                await web.close()

        return asyncio.run(perform())

    return run


def test_arguments_arrive_as_they_are(run):
    strange = ["$HOME", "a b", "'", '"', "*", "; exit 7", "~", "", "ä\n"]
    code, stdout, stderr = run("printf", "%s|", *strange)
    assert (code, stdout.decode(), stderr) == (0, "".join(f"{each}|" for each in strange), b"")


def test_what_is_secret_goes_by_standard_input(run):
    assert run("cat", stdin=b"\0secret" * 100_000).stdout == b"\0secret" * 100_000


def test_a_command_need_not_read(run):
    assert run("true", stdin=bytes(1 << 22)).code == 0


def test_exit_codes_and_complaints(run):
    assert run("sh", "-c", "echo no >&2; exit 3") == (3, b"", b"no\n")
    assert run("no-such-command").code == 127


def test_too_much_is_refused(run):
    with pytest.raises(HostError, match=r"^host lab-1: the command yes says more than 4 MiB"):
        run("yes")


def test_one_that_takes_too_long_is_given_up(run):
    # When it is given up it is told so by its output, which is closed.
    patient = "while sleep 0.1; do echo still here; done"
    with pytest.raises(HostError, match=r"^host lab-1: the command sh took longer than 1 s; is the host"):
        run("sh", "-c", patient, timeout=1.0)


def test_a_connection_that_is_cut_is_given_up(run, lab, hosts):
    async def perform():
        web = Web(hosts)
        try:
            there = await web.connect(hosts[0].name)
            lab.hosts[0].cut()
            await there.run(["true"], timeout=30.0)
        finally:
            await web.close()
            lab.hosts[0].mend()

    with pytest.raises(HostError, match=r"^host lab-1: the c"):
        asyncio.run(perform())


def test_a_library_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(connection, "find_spec", lambda _: None)
    with pytest.raises(HostError, match=r'asyncssh is not installed; install it with: pip install "form'):
        Web(())
