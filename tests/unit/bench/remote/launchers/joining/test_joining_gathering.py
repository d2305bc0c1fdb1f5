"""Who may join a run: hosts that are expected, each once, that know the file's secret."""

import asyncio
import os
import tempfile
from contextlib import suppress

import msgspec
import pytest
from tests.unit.core.owners import give_away

from formicary.errors import UsageError
from formicary.local.launchers import node_name
from formicary.transport.direct.identity import anonymous
from formicary_bench.remote.errors import HostError
from formicary_bench.remote.host_agent.protocol import End, Use, frame
from formicary_bench.remote.launchers.joining.gathering import Gathering
from formicary_bench.remote.launchers.joining.join import join, rank_of
from formicary_bench.remote.launchers.joining.meeting import (
    Joined,
    Meeting,
    Welcome,
    read_meeting,
    write_meeting,
)


def joined(meeting, **changes):
    said = {"secret": meeting.secret, "name": "n1", "rank": 0, "interface": "eth0", "prefix": "/env"}
    return msgspec.json.encode(Joined(**{**said, **changes})) + b"\n"


async def say(meeting, line):
    """Say something at the meeting, and return what is answered; None if nothing is."""
    reader, writer = await asyncio.open_connection(meeting.address, meeting.port, ssl=anonymous())
    writer.write(line)
    answer = b""
    with suppress(OSError):
        answer = await reader.readline()
    return writer, msgspec.json.decode(answer, type=Welcome) if answer else None


def test_an_expected_host_is_taken_once_and_nobody_else(tmp_path):
    async def meet():
        path = tmp_path / "meetings" / "17"
        async with Gathering(["n1", "n2"], "127.0.0.1", path) as gathering:
            assert path.stat().st_mode & 0o777 == 0o600
            meeting = await read_meeting(path, 1.0)
            refused = {
                "another meeting": joined(meeting, secret=b"x" * 32),
                "not one of this run's: n1, n2": joined(meeting, name="n3"),
            }
            for why, line in refused.items():
                writer, welcome = await say(meeting, line)
                assert why in welcome.refused
                writer.close()
            writer, welcome = await say(meeting, b"{nonsense\n")
            assert welcome is None
            writer.close()
            writer, welcome = await say(meeting, b"x" * 100_000)
            assert welcome is None
            writer.close()
            assert not gathering.is_here("n1")
            first, welcome = await say(meeting, joined(meeting, rank=3))
            assert welcome.refused == ""
            arrived = await gathering.arrival("n1")
            assert (arrived.said.rank, arrived.address) == (3, "127.0.0.1")
            second, welcome = await say(meeting, joined(meeting))
            assert "another program has joined" in welcome.refused
            for writer in (first, second):
                writer.close()
        assert not path.exists()

    asyncio.run(meet())


def test_a_host_looks_whether_it_is_the_run_that_has_written_the_file(tmp_path):
    async def meet():
        path = tmp_path / "17"
        async with Gathering(["n1"], "127.0.0.1", path):
            meeting = await read_meeting(path, 1.0)
            forged = tmp_path / "forged"
            write_meeting(forged, msgspec.structs.replace(meeting, fingerprint=b"x" * 32))
            with pytest.raises(UsageError, match="is not the run that has written the file"):
                await join(forged, 0, tmp_path / "folder", "", print)

    asyncio.run(meet())


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "is that folder shared by all hosts"), (b"[1]", "is no file by which hosts meet")],
)
def test_a_file_that_is_not_there_or_is_none_is_one_sentence(tmp_path, content, said):
    path = tmp_path / "17"
    if content is not None:
        path.touch(mode=0o600)
        path.write_bytes(content)
    with pytest.raises(UsageError, match=said):
        asyncio.run(read_meeting(path, 0.01))


def test_a_run_that_is_gone_is_one_sentence(tmp_path):
    path = tmp_path / "17"
    write_meeting(path, Meeting(address="127.0.0.1", port=1, fingerprint=b"", secret=b""))
    with pytest.raises(UsageError, match=r"127\.0\.0\.1, port 1, cannot be reached"):
        asyncio.run(join(path, 0, tmp_path, "", print))


def test_the_rank_is_the_one_given_or_slurms(monkeypatch):
    monkeypatch.setenv("SLURM_PROCID", "5")
    assert (rank_of(None), rank_of(2)) == (5, 2)
    monkeypatch.delenv("SLURM_PROCID")
    with pytest.raises(UsageError, match="start it with srun"):
        rank_of(None)


def meeting_file(tmp_path):
    path = tmp_path / "meetings" / "17"
    write_meeting(path, Meeting(address="127.0.0.1", port=1, fingerprint=b"", secret=b""))
    return path


@pytest.mark.parametrize(("file", "folder"), [(0o644, 0o700), (0o622, 0o700), (0o600, 0o777)])
def test_a_file_that_others_may_have_written_is_not_believed(tmp_path, file, folder):
    path = meeting_file(tmp_path)
    path.chmod(file)
    path.parent.chmod(folder)
    with pytest.raises(UsageError, match=r"cannot be used: other users may .*: chmod ") as caught:
        asyncio.run(join(path, 0, tmp_path, "", print))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("whose", ["file", "folder"])
def test_a_file_of_somebody_else_is_not_believed(tmp_path, monkeypatch, whose):
    path = meeting_file(tmp_path)
    give_away(path if whose == "file" else path.parent, monkeypatch)
    with pytest.raises(UsageError, match="belongs to another user"):
        asyncio.run(read_meeting(path, 0.01))


def test_no_file_is_written_into_the_folder_of_somebody_else(tmp_path, monkeypatch):
    (tmp_path / "meetings").mkdir()
    give_away(tmp_path / "meetings", monkeypatch)
    with pytest.raises(HostError, match="belongs to another user"):
        meeting_file(tmp_path)


@pytest.mark.parametrize(
    ("name", "is_set"),
    [
        ("OMP_NUM_THREADS", True),
        ("LC_ALL", True),
        ("PYTHONPATH", False),
        ("LD_PRELOAD", False),
        ("PATH", False),
    ],
)
def test_whoever_is_joined_sets_no_variable_that_has_code_loaded(tmp_path, monkeypatch, name, is_set, capfd):
    monkeypatch.delenv(name, raising=False)

    async def meet():
        path = tmp_path / "meetings" / "17"
        async with Gathering([node_name()], "127.0.0.1", path) as gathering:
            joining = asyncio.create_task(join(path, 0, tmp_path / "folder", "lo", lambda _: None))
            arrived = await gathering.arrival(node_name())
            await arrived.reader.readline()
            arrived.writer.write(frame(Use({name: "/evil"})) + frame(End()))
            await joining

    with monkeypatch.context() as patched:
        patched.setattr(os, "environ", dict(os.environ))
        patched.setattr(tempfile, "tempdir", tempfile.tempdir)
        asyncio.run(meet())
        assert os.environ.get(name) == ("/evil" if is_set else None)
    assert (
        f"the environment variable '{name}' may not be set by the controller" in capfd.readouterr().err
    ) != is_set
