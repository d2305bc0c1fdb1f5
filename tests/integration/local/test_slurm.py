"""A script's agents in a job of a real Slurm: they find each other, and a cancelled job leaves nothing."""

from tests.integration.bench.remote.scene import wait_until
from tests.integration.local.test_launchers import AGENTS, SCRIPT

COMMAND = "formicary run script.py --launcher slurm"


def test_agents_of_a_job_talk_across_its_nodes_and_a_cancelled_job_leaves_nothing(cluster, tmp_path):
    idle = [len(host.pids()) for host in cluster.hosts]
    (tmp_path / "script.py").write_text(SCRIPT)
    job = cluster.submit(COMMAND)
    cluster.wait(job)
    said = cluster.output(job)
    assert "asked asker@c2.lab.localhost answered echo@c1.lab.localhost\nexit 0" in said
    for number, host in enumerate(cluster.hosts, 1):
        assert f"container c{number}: on node{number}, by lab0 at {host.address}" in said

    (tmp_path / "script.py").write_text(SCRIPT.replace(AGENTS, 'agents = [Echo("a"), Echo("b")]'))
    job = cluster.submit(COMMAND)
    wait_until(lambda: "press Ctrl-C to stop" in cluster.output(job), 40.0, "the agents do not come up")
    cluster.run("scancel", job)
    cluster.wait(job)
    wait_until(lambda: [len(host.pids()) for host in cluster.hosts] == idle, 40.0, "processes are left")
