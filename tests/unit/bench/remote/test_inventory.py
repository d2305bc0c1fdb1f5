"""The file hosts.toml: what is read, and what is said about each mistake in one."""

from __future__ import annotations

import os

import pytest

from formicary.errors import UsageError
from formicary_bench.remote.inventory import CONTAINERS, SERVER, choose, load

FULL = """\
[defaults]
user = "ada"
port = 2200
environment = { LANG = "C.UTF-8", MODE = "quick" }

[hosts.gate]
address = "gate.example"
port = 22
user = ""

[hosts.one]
address = "2001:DB8:0::1"
key = "keys/one"
known_hosts = "keys/known"
jump = "gate"
python = "/opt/python/bin/python3"
venv = "~/venv"
folder = "/scratch/formicary"
roles = ["server", "containers", "server"]
groups = ["east", "large"]
environment.MODE = "slow"
interface = "eth1"
listen = "10.0.0.1"

[hosts."two"]
address = "192.0.2.2"
roles = ["containers"]
groups = ["east"]
"""
ONE = '[hosts.a]\naddress = "192.0.2.1"\n'


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "hosts.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def refused(write):
    """Return a function that reads an invalid file, and returns the error."""

    def refused(text):
        with pytest.raises(UsageError) as caught:
            load(write(text))
        return str(caught.value)

    return refused


@pytest.fixture
def full(write, tmp_path):
    (tmp_path / "keys").mkdir()
    for name in ("one", "known"):
        (tmp_path / "keys" / name).touch()
    return load(write(FULL))


def test_all_keys_are_read(full, tmp_path):
    gate, one, two = full.hosts
    assert (gate.name, gate.address, gate.port, gate.user, gate.jump) == ("gate", "gate.example", 22, "", "")
    assert (one.address, one.port, one.user, one.jump) == ("2001:db8::1", 2200, "ada", "gate")
    assert (one.key, one.known_hosts) == (tmp_path / "keys" / "one", tmp_path / "keys" / "known")
    assert (one.python, one.venv, one.folder) == ("/opt/python/bin/python3", "~/venv", "/scratch/formicary")
    assert (one.roles, one.groups) == ((SERVER, CONTAINERS), ("east", "large"))
    assert one.environment == {"LANG": "C.UTF-8", "MODE": "slow"}
    assert (one.interface, one.listen) == ("eth1", "10.0.0.1")
    assert two.environment == {"LANG": "C.UTF-8", "MODE": "quick"}
    assert [host.line for host in full.hosts] == [6, 11, 25]


def test_what_is_not_written_is_as_usual(write):
    (host,) = load(write(ONE)).hosts
    assert (host.port, host.user, host.key, host.python) == (22, "", None, "python3")
    assert (host.roles, host.groups, host.folder) == ((CONTAINERS, SERVER), (), "~/.local/share/formicary")


def test_a_file_from_windows_is_read(write):
    (host,) = load(write(b"\xef\xbb\xbf" + ONE.replace("\n", "\r\n").encode())).hosts
    assert (host.address, host.line) == ("192.0.2.1", 1)


def test_a_path_may_begin_in_the_home_folder(write, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "mine").touch()
    (host,) = load(write(ONE + 'key = "~/mine"')).hosts
    assert host.key == tmp_path / "mine"


def test_relative_paths_are_meant_from_the_file_s_folder_wherever_we_are(write, tmp_path, monkeypatch):
    (tmp_path / "mine").touch()
    path = write(ONE + 'key = "mine"')
    monkeypatch.chdir(tmp_path.parent)
    (host,) = load(path.relative_to(tmp_path.parent)).hosts
    assert host.key == tmp_path / "mine"


# Which hosts are meant


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ([], ["gate", "one", "two"]),
        (["two", "gate"], ["gate", "two"]),
        (["east"], ["one", "two"]),
        (["large", "one", "gate"], ["gate", "one"]),
    ],
)
def test_hosts_are_chosen_by_their_names_and_groups_in_the_order_of_the_file(full, words, names):
    assert [host.name for host in choose(full, words)] == names


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("est", "no host or group 'est'; did you mean east?"),
        ("xyz", "no host or group 'xyz'; there are east, gate, large, one, two"),
    ],
)
def test_a_word_that_is_neither_is_refused(full, word, said):
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        choose(full, ["one", word])


# What is wrong: the line, the key, and what to write


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("address = 7", "7 is not text; write it in quotes"),
        ('address = ""', "'' is no address; write a host's name or its IP address alone"),
        ('address = "192.0.2.1:22"', "is no address"),
        ('address = "[2001:db8::1]"', "is no address"),
        ('address = "192.0.2.300"', "is no address"),
        ('address = "ssh://a"', "is no address"),
        ('address = "-oProxyCommand=x"', "is no address"),
        ('address = "a b"', "is no address"),
        ('address = "a\\nb"', "contains control characters"),
        ('address = "ada@a"', "'ada@a' has a user in it; write the user with the key `user`"),
    ],
)
def test_a_wrong_address(refused, key, said):
    found = refused(f"[hosts.a]\n{key}\n")
    assert "hosts.toml, line 2, hosts.a.address: " in found
    assert said in found


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("port = 0", "port: 0 is no port; write a whole number from 1 to 65535"),
        ("port = 65536", "port: 65536 is no port"),
        ("port = true", "port: True is no port"),
        ('port = "22"', "port: '22' is no port"),
        ("port = 22.0", "port: 22.0 is no port"),
        ("port = [22]", "port: a list is no port"),
        ("port.x = 1", "port: a table is no port"),
        ("port = 2020-01-01", "port: 2020-01-01 is no port"),
        (f"port = 0x{'f' * 5000}", "port: this number is no port"),
        ('user = "-l"', "user: '-l' is no user's name"),
        ("user = 1", "user: 1 is not text"),
        (
            'key = "gone"',
            "gone cannot be read (No such file or directory); write the path of one, relative to this file",
        ),
        ('key = "."', "cannot be read (Is a directory)"),
        ('key = "hosts.toml.pub"', "hosts.toml.pub cannot be read (No such file"),
        ('key = "~nobody-of-this-name/key"', "names an unknown user"),
        ('key = "a\\u0000b"', "contains control characters"),
        (f'key = "{"x" * 5000}"', "cannot be read (File name too long)"),
        ('known_hosts = "gone"', "known_hosts: the file"),
        ('jump = "b"', "jump: there is no host b; add it to this file"),
        ('jump = "B"', "jump: 'B' cannot be a name"),
        ('jump = "a"', 'jump: the way to a leads over itself; write jump = "" if it is reached straight'),
        ('python = ""', "python: '' is no Python on the host"),
        ('python = "bin/python"', "is no Python on the host"),
        ('python = "-c"', "is no Python on the host"),
        (
            'venv = "venv"',
            "venv: 'venv' is no folder of its own on the host; write a path that begins with /",
        ),
        ('folder = "/"', "folder: '/' is no folder of its own"),
        ('folder = "~/"', "is no folder of its own"),
        ('folder = "/a/.."', "is no folder of its own"),
        ('folder = ""', "the folder has no path; leave the key out"),
        ('roles = "server"', "roles: 'server' is not a list; write it in brackets, such as [\"containers\"]"),
        ("roles = []", "roles: a host needs a role"),
        ('roles = ["sever"]', "'sever' is no role; choose from containers and server; did you mean server?"),
        ("roles = [[]]", "a list is no role"),
        ('roles = ["server"]', "no host may have agents; give one the role containers"),
        ('groups = ["East"]', "groups: 'East' cannot be a name"),
        ('groups = ["a"]', "groups: a is a host; give the group another name"),
        ("environment = []", "environment: a list is no table"),
        (
            'environment = { "A B" = "1" }',
            "environment.\"A B\": 'A B' is not the name of an environment variable",
        ),
        ('environment = { 1A = "1" }', "environment.1A: '1A' is not the name of an environment variable"),
        ("environment = { A = 1 }", 'environment.A: the value is no text; write it in quotes, such as "1"'),
        ('interface = "a/b"', "interface: 'a/b' is no network interface"),
        ('interface = "sixteen-letters-"', "is no network interface"),
        ('listen = "node1"', "listen: 'node1' is no IP address"),
        ('listen = "0.0.0.0"', "listen: 0.0.0.0 is not the address of one interface"),
        ("adress = 1", "adress: there is no such key; did you mean address?"),
        ("zzz = 1", "zzz: there is no such key; there are address, port, user"),
    ],
)
def test_a_wrong_value(refused, key, said):
    found = refused(f"{ONE}{key}\n")
    assert said in found
    assert found.count("\n") == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there are no hosts; write a table [hosts.NAME] with its address for each host"),
        ("# nothing\n", "there are no hosts"),
        ("[hosts]\n", "there are no hosts"),
        ('[defaults]\nuser = "ada"\n', "there are no hosts"),
        ('[[hosts]]\naddress = "a"\n', "line 1, hosts: a list has no hosts; write a table [hosts.NAME]"),
        ("hosts = 3\n", "line 1, hosts: 3 has no hosts"),
        (f"defaults = 1\n{ONE}", "line 1, defaults: 1 is no table"),
        ("[hosts.a]\nport = 22\n", "line 1, hosts.a: the address is missing"),
        (f"[host]\n{ONE}", "line 1, host: there is no such table; did you mean hosts?"),
        (f"{ONE}[other]\n", "line 3, other: there is no such table; write a table [hosts.NAME]"),
        (f'[defaults]\naddress = "b"\n{ONE}', "line 2, defaults.address: each host has its own"),
        (f'[defaults]\nlisten = "127.0.0.1"\n{ONE}', "line 2, defaults.listen: each host has its own"),
        ('[hosts.localhost]\naddress = "a"\n', "'localhost' cannot be a name"),
        ('[hosts."a\\nb"]\naddress = "a"\n', "line 1, hosts.\"a\\nb\": 'a\\nb' contains control characters"),
        (
            "[hosts.a\n",
            "line 1, column 9: this is not valid TOML (Expected ']' at the end of a table declaration)",
        ),
        ("[hosts.a]\naddress =\n", "line 2, column 10: this is not valid TOML (Invalid value)"),
        ("[hosts.a]\naddress = 'a", "this is not valid TOML"),
        ("[hosts.a]\nport = 1\nport = 2\n", "this is not valid TOML (Cannot overwrite a value)"),
        ("a = " + "[" * 100_000, "this is not valid TOML"),
        ("a = " + "9" * 5000, "this is not valid TOML"),
        (b"[hosts.a]\naddress = '\xff'", "line 2: this is not UTF-8; save the file as UTF-8"),
        (b"#" * (1 << 20) + b"#", "is larger than 1 MiB"),
    ],
)
def test_a_wrong_file(refused, text, said):
    found = refused(text)
    assert said in found
    assert found.count("\n") == 0


def test_a_key_that_others_can_tell_is_the_public_one(refused, tmp_path):
    (tmp_path / "id.pub").touch()
    assert "id.pub is a public key; write the file with the private one, id" in refused(
        ONE + 'key = "id.pub"'
    )


def test_the_same_host_twice(refused, write):
    twice = '[hosts.b]\naddress = "192.0.2.1"\n'
    said = refused(ONE + twice)
    assert "line 4, hosts.b.address: 192.0.2.1 with port 22 is the host a; leave one of them out" in said
    assert len(load(write(f"{ONE}{twice}port = 2222\n")).hosts) == 2
    assert len(load(write(f'{ONE}{twice}jump = "a"\n')).hosts) == 2


@pytest.mark.parametrize(("first", "second"), [("A.example.", "a.example"), ("2001:DB8::1", "2001:db8:0::1")])
def test_the_same_host_twice_in_other_words(refused, first, second):
    said = refused(f'[hosts.a]\naddress = "{first}"\n[hosts.b]\naddress = "{second}"\n')
    assert "is the host a" in said


def test_jumps_in_a_cycle(refused):
    chain = "".join(
        f'[hosts.{name}]\naddress = "{name}"\njump = "{jump}"\n' for name, jump in ["ab", "bc", "cb", "da"]
    )
    said = refused(chain)
    assert "has 2 mistakes" in said
    assert "line 6, hosts.b.jump: the way to b leads over itself" in said
    assert "line 9, hosts.c.jump: the way to c leads over itself" in said


def test_a_jump_for_all_is_taken_back_by_the_host_that_it_is(refused, write):
    text = f'[defaults]\njump = "a"\n[hosts.b]\naddress = "b"\n{ONE}'
    assert "line 5, hosts.a.jump: the way to a leads over itself" in refused(text)
    assert [host.jump for host in load(write(f'{text}jump = ""\n')).hosts] == ["a", ""]


def test_all_that_is_wrong_is_said_at_once_in_the_order_of_the_lines(refused):
    said = refused(
        '[defaults]\nport = 0\n[hosts.a]\naddress = "a"\nroles = ["x", "y"]\n'
        'environment = { "1" = "", 2 = "", C = 3 }\n[hosts."B"]\nuser = 1\n'
    ).splitlines()
    assert said[0].endswith("hosts.toml has 9 mistakes:")
    lines = [line.split(",")[0].strip() for line in said[1:]]
    assert lines == [f"line {number}" for number in (2, 5, 5, 6, 6, 6, 7, 7, 8)]


def test_the_value_of_an_environment_variable_is_not_said(refused):
    assert "424242" not in refused(ONE + "environment = { SECRET = 424242 }")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match=r"no file .*gone.toml; give the path of your inventory"):
        load(tmp_path / "gone.toml")


def test_what_is_no_file(tmp_path):
    with pytest.raises(UsageError, match="is a folder; specify the path of an inventory"):
        load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is not a regular file"):
        load(tmp_path / "pipe")


def test_a_path_that_cannot_be_one(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        load(tmp_path / "a\0b")
    with pytest.raises(UsageError, match=r"cannot be read \(File name too long"):
        load(tmp_path / ("x" * 5000))


def test_a_file_that_may_not_be_read(write, monkeypatch):
    path = write(ONE)

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", refuse)  # root may read everything
    with pytest.raises(UsageError, match=r"cannot be read \(Permission denied\)"):
        load(path)
