"""Archives of what is installed."""

from __future__ import annotations

import tarfile
from importlib.metadata import PathDistribution, distribution

import pytest
from packaging.markers import default_environment

from formicary_bench.remote import HostError
from formicary_bench.remote.provisioning import archives

METADATA = "Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.5\n"
SITE = "lib/python3.12/site-packages"


@pytest.fixture
def site(tmp_path):
    """Return an environment's folder of packages, with one that has a bit of everything."""
    site = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    info = "tiny_thing-1.5.dist-info"
    files = {
        "tiny/__init__.py": "answer = 42\n",
        "tiny/__pycache__/__init__.cpython-311.pyc": "compiled",
        "tiny/data.txt": "data",
        f"{info}/METADATA": METADATA,
        f"{info}/INSTALLER": "pip",
        f"{info}/entry_points.txt": "[console_scripts]\ntiny = tiny:main\n",
        "../../../bin/tiny": "#!/env/bin/python3.11\nmade by the installer\n",
        "../../../bin/tiniest": "machine code",
        "../../../share/man/tiny.1": "a page",
    }
    for name, content in files.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (tmp_path / "env" / "bin" / "tiniest").chmod(0o755)
    listed = [*files, f"{info}/RECORD"]
    (site / info / "RECORD").write_text("".join(f"{name},,\n" for name in listed), encoding="utf-8")
    return site


@pytest.fixture
def tiny(site):
    return PathDistribution(site / "tiny_thing-1.5.dist-info")


def test_an_archive_has_the_files_of_the_package_and_what_went_beside_it_but_for_scripts(tiny, tmp_path):
    target = tmp_path / "tiny.tar.gz"
    archives.pack(target, archives.files_of(tiny, SITE))
    with tarfile.open(target) as archive:
        names = set(archive.getnames())
        assert archive.extractfile(f"{SITE}/tiny/data.txt").read() == b"data"
        assert archive.getmember("bin/tiniest").mode == 0o755
    info = "tiny_thing-1.5.dist-info"
    about = {f"{info}/{name}" for name in ("METADATA", "INSTALLER", "entry_points.txt", "RECORD")}
    expected = {f"{SITE}/{name}" for name in {"tiny/__init__.py", "tiny/data.txt", *about}}
    assert names == {*expected, "bin/tiniest", "share/man/tiny.1"}


def test_no_file_of_it_is_outside_of_the_environment(tiny, site):
    with (site / "tiny_thing-1.5.dist-info" / "RECORD").open("a", encoding="utf-8") as record:
        record.write("../../../../other,,\n/etc/passwd,,\n")
    places = [place for place, _ in archives.files_of(tiny, SITE)]
    assert not [place for place in places if place.startswith(("..", "/"))]
    assert len(places) == 8


def test_the_same_files_give_the_same_bytes(tiny, tmp_path):
    for name in ("a", "b"):
        archives.pack(tmp_path / name, archives.files_of(tiny, SITE))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_its_identity_changes_with_its_list_of_files(tiny, site):
    before = archives.identity(tiny)
    assert archives.identity(tiny) == before
    with (site / "tiny_thing-1.5.dist-info" / "RECORD").open("a", encoding="utf-8") as record:
        record.write("tiny/new.py,,\n")
    assert archives.identity(tiny) != before


def test_a_missing_file_is_a_sentence_and_no_archive(tiny, site, tmp_path):
    (site / "tiny" / "data.txt").unlink()
    with pytest.raises(
        HostError, match=r"tiny-thing cannot be sent.*data\.txt of it is missing here; repair it: "
    ):
        archives.pack(tmp_path / "out.tar.gz", archives.files_of(tiny, SITE))
    assert not [*tmp_path.glob("*out*")]


def test_without_a_list_there_is_a_sentence(tiny, site):
    (site / "tiny_thing-1.5.dist-info" / "RECORD").unlink()
    with pytest.raises(HostError, match=r"no list of its files.*; install it"):
        [*archives.files_of(tiny, SITE)]


def test_what_is_used_from_its_sources_is_known(tiny, site):
    url = site / "tiny_thing-1.5.dist-info" / "direct_url.json"
    assert not archives.is_from_sources(tiny)
    url.write_text('{"url": "file:///x", "dir_info": {}}', encoding="utf-8")
    assert not archives.is_from_sources(tiny)
    url.write_text('{"dir_info": {"editable":\n true}, "url": "file:///x"}', encoding="utf-8")
    assert archives.is_from_sources(tiny)


def test_our_own_has_its_data_and_says_which_commands_there_are():
    files = dict(archives.own_files(SITE))
    assert {
        f"{SITE}/formicary/server/modules/mod_formicary_tls.lua",
        f"{SITE}/formicary_bench/reports/formats/template/report.css",
        f"{SITE}/formicary_bench/published/alberola2010_cpu.csv",
        f"{SITE}/formicary_bench/remote/bootstrap/loop.py",
        "bin/formicary",
    } <= files.keys()
    assert not [name for name in files if "__pycache__" in name]
    (entry_points,) = (files[name].decode() for name in files if name.endswith("/entry_points.txt"))
    for entry in distribution("formicary").entry_points:
        assert f"{entry.name} = {entry.value}\n" in entry_points


class Fake:
    """A distribution that is only asked for what it needs."""

    def __init__(self, name, requires=()):
        self.name, self.version, self.requires = name, "1", list(requires)

    def read_text(self, name):
        return "" if name == "direct_url.json" else f"{self.name}/METADATA,,\n"


def found(requirements, installed, **environment):
    have = {name: Fake(name, requires) for name, requires in installed.items()}

    def find(name):
        if name not in have:
            raise archives.PackageNotFoundError(name)
        return have[name]

    result = archives.find({**default_environment(), **environment}, requirements, find)
    return {each.name for each in result.installed}, {str(each) for each in result.absent}


def test_what_depends_on_what_is_followed():
    installed = {
        "a": ["b>=1"],
        "b": ["c[fast]"],
        "c": ["d; extra == 'fast'", "e; extra == 'slow'", "a"],
        "d": [],
    }
    assert found(["A>0"], installed) == ({"a", "b", "c", "d"}, set())


def test_markers_are_those_of_the_host():
    installed = {"old": [], "new": []}
    lines = ["old; python_version < '3.12'", "new; python_version >= '3.12'"]
    assert found(lines, installed, python_version="3.11") == ({"old"}, set())
    assert found(lines, installed, python_version="3.13") == ({"new"}, set())


def test_what_only_the_controller_needs_is_left_out_and_what_is_not_installed_is_named():
    lines = [
        "asyncssh>=2; extra == 'lab'",
        "py-spy>=0.4; extra == 'lab'",
        "numpy; extra == 'bench'",
        "scipy; extra == 'bench'",
        "spade; extra == 'spade'",
        "gone[x]>=2",
    ]
    assert found(lines, {"numpy": [], "py-spy": []}) == ({"numpy", "py-spy"}, {"gone[x]>=2"})


def test_another_version_is_another_digest():
    def digest(requirements):
        return archives.find(default_environment(), requirements, Fake).digest()

    assert digest(["a"]) == digest(["a"]) != digest(["a", "b"])
