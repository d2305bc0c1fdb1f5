"""A run over the nodes of a job: a stand-in for Slurm's commands puts each task into a namespace."""

import json
import signal

import pytest
from tests.integration.bench.remote.scene import wait_until

RUN = ("bench", "run", "messaging/pairs", "--launcher", "slurm", "--pairs", "2", "--route", "direct")
ONE = ("--platform", "formicary-behaviours", "--placement", "two-hosts", "--repeat", "1")


@pytest.fixture
def nothing_left(lab):
    """Check that the test leaves no process on the nodes."""
    before = [set(host.pids()) for host in lab.hosts]
    yield
    wait_until(lambda: [set(host.pids()) for host in lab.hosts] == before, 60.0, "processes are left")


def test_hosts_of_a_job_measure(lab, job, nothing_left):
    process = job(*RUN, *ONE, "--rounds", "5,20,5", "--json")
    out, err = process.communicate()
    assert process.returncode == 0, err
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["placement"] for row in rows if "placement" in row] == ["two-hosts"]
    first, second = lab.hosts
    assert f"host node1 is reached by lab0 at {first.address}" in err.replace("\n", " ")
    assert f"host node2 is reached by lab0 at {second.address}" in err.replace("\n", " ")


def test_a_job_that_is_killed_takes_everything_with_it(lab, job, nothing_left):
    process = job(*RUN, *ONE, "--rounds", "0,30000,0", "--json")
    second = lab.hosts[1]
    before = set(second.pids())
    wait_until(lambda: len(set(second.pids()) - before) >= 2, 100.0, "no worker has started")
    process.kill()
    wait_until(lambda: set(second.pids()) <= before, 60.0, "a host agent is left")


def test_ctrl_c_ends_the_programs_on_all_nodes(lab, job, nothing_left):
    process = job(*RUN, *ONE, "--rounds", "0,30000,0", "--json")
    second = lab.hosts[1]
    before = set(second.pids())
    wait_until(lambda: len(set(second.pids()) - before) >= 2, 100.0, "no worker has started")
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130


@pytest.mark.parametrize(
    ("options", "before", "code", "said"),
    [
        (
            (),
            "sys.exit('srun: error: Unable to allocate resources')",
            3,
            "its last words: srun: error: Unable to allocate resources; each host",
        ),
        (
            ("--interface", "ib7"),
            "",
            3,
            "no active network interface ib7 with an address; it has lab0",
        ),
        (("--hosts", "hosts.toml"), "", 2, "--hosts is for --launcher ssh"),
        pytest.param(
            ("--on", "node3"),
            "",
            2,
            "job 17 has no host or group 'node3'; did you mean node2?",
            marks=pytest.mark.full("as with hosts of an inventory"),
        ),
    ],
)
def test_what_cannot_be_is_one_sentence(job, nothing_left, options, before, code, said):  # noqa: PLR0917
    process = job(*RUN, *ONE, *options, before=before)
    _, err = process.communicate()
    assert process.returncode == code
    assert said in " ".join(err.split())
    assert "Traceback" not in err


def test_outside_of_a_job_there_is_no_launcher_slurm(job):
    process = job(*RUN, *ONE, SLURM_JOB_ID="")
    _, err = process.communicate()
    assert process.returncode == 2
    assert "requires a Slurm job" in " ".join(err.split())
