"""Which words about hosts go together on the command line."""

from pathlib import Path

import pytest

from formicary.errors import UsageError
from formicary_bench.remote.launchers.launcher import provider


def test_this_machine_alone_needs_no_hosts():
    assert provider(None, None, None) is None


def test_this_machine_is_two_hosts_at_least():
    found = provider("local", None, None)
    assert [host.name for host in found.inventory.hosts[:2]] == ["local-1", "local-2"]
    assert found.options == "--launcher local"


def test_a_command_starts_programs_on_the_hosts_of_a_file(tmp_path):
    file = tmp_path / "hosts.toml"
    file.write_text('[hosts.one]\naddress = "192.0.2.7"\n')
    found = provider("env TO={host}", file, None)
    assert [host.address for host in found.inventory.hosts] == ["192.0.2.7"]
    assert found.options == f"--hosts {file} --launcher 'env TO={{host}}'"


@pytest.mark.parametrize(
    ("launcher", "path", "interface", "said"),
    [
        ("ssh", None, None, "--hosts hosts.toml"),
        ("local", Path("hosts.toml"), None, "--hosts is for --launcher ssh"),
        ("slurm", Path("hosts.toml"), None, "--hosts is for --launcher ssh"),
        ("local", None, "eth0", "over loopback"),
        (None, Path("hosts.toml"), "eth0", "set the key `interface` of a host"),
        (None, None, "eth0", "--interface needs --launcher slurm"),
        ("pbs", None, None, "ssh, slurm, local, or a command with {host} in it, not 'pbs'"),
        ("env {host}", None, None, "--launcher env {host} needs a hosts' file"),
        ("env {host}", Path("hosts.toml"), "eth0", "set the key `interface` of a host"),
        ("no-such-starter {host}", Path("hosts.toml"), None, "no command 'no-such-starter'"),
        ("env '{host}", Path("hosts.toml"), None, "No closing quotation"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(launcher, path, interface, said):
    with pytest.raises(UsageError, match=said):
        provider(launcher, path, interface)
