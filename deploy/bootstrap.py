"""Set up everything on a machine that has only Python and git, then do one job.

    python3 deploy/bootstrap.py bench [ARGUMENTS]   measure: `formicary bench run ARGUMENTS`, or `quick`
    python3 deploy/bootstrap.py test                check everything, as on each change
    python3 deploy/bootstrap.py test --full         check what takes hours as well
    python3 deploy/bootstrap.py test -- ARGUMENTS   run some tests; ARGUMENTS go to pytest

The environment is `.venv` in the checkout. Prosody, and for the tests ejabberd, iproute2, openssh-server,
Slurm, LaTeX, Chromium and PostgreSQL, come from the system's packages where they are missing and this account
may install them (root, or sudo without a password); none of their services is started. A second run finds
everything done.
"""

# It runs before anything is installed, so it uses the standard library alone; and it has to tell an older
# Python what is wrong, so it uses no syntax newer than Python 3.8.

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = str(VENV / "bin" / "python")
RECORD = VENV / "formicary-bootstrap.json"  # says that the environment is ours, and what is in it
POLICY = Path("/usr/sbin/policy-rc.d")  # Debian asks it whether a package may start its service
PROGRAMS = {  # one of each package
    "prosody": "prosody",
    "ejabberd": "ejabberdctl",
    "iproute2": "ss",
    "openssh-server": "sshd",
    "texlive-latex-recommended": "pdflatex",
    "chromium": "chromium",
    "postgresql": "postgres",
    "systemd": "systemd-analyze",
    "munge": "munged",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "slurm-client": "srun",
}
SERVICES = {  # of those that have one
    "prosody": "prosody",
    "ejabberd": "ejabberd",
    "openssh-server": "ssh",
    "postgresql": "postgresql",
    "munge": "munge",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
}
MARKS = {"server": "prosody", "ejabberd": "ejabberd"}  # marks of tests, and the XMPP server that they need
# They make hosts of namespaces, as root; tests say so where they cannot be.
HOSTS = ("iproute2", "openssh-server", "munge", "slurmctld", "slurmd", "slurm-client")
READERS = ("texlive-latex-recommended", "chromium", "systemd")  # of reports and units; tests say so, too
DATABASES = ("postgresql",)  # behind shops; tests say so, too
INSTALLING = threading.Lock()  # two at once would refuse each other
LISTS_READ = threading.Event()  # once is enough
OFFLINE = threading.Event()  # what one step has found is true of the next
# What pip and apt-get say where no server can be reached, and where that is why they give up.
NO_NETWORK = re.compile(
    "NewConnectionError|ConnectTimeout|ProxyError|Temporary failure|Network is unreachable|Could not connect"
)
GIVEN_UP = re.compile("No matching distribution found|Failed to fetch|Unable to (fetch|locate)")
# Where packages put programs that are not on everybody's PATH.
ALSO_IN = ["/usr/sbin", *map(str, Path("/usr/lib/postgresql").glob("*/bin"))]
OLDEST_PIP = "pip>=25.1"  # the first that knows dependency groups

INSTALLS = {
    "bench": ["--editable", ".[bench,lab]"],
    "test": [
        *["--editable", ".[accounts,bench,lab,figures,postgresql,live,gateway,notebooks]"],
        *["--group", "test", "--group", "lint", "--group", "types", "--group", "docs"],
    ],
}

# Where Python is told to write no bytecode, as in many images, each of the thousand processes that tests
# start would compile all of it again. pytest compiles the tests itself. Errors are not reported here: they
# show up when the code runs.
COMPILE = """\
import compileall, sys, pytest
sys.dont_write_bytecode = False
for folder in ("platform", "benchmarks", "tests"):
    compileall.compile_dir(folder, quiet=2, workers=0)
pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider"])
"""


class SetupError(Exception):
    """The set-up cannot go on; its message says why and what to do.

    Args:
        message: one sentence for the user; empty if a step has said it.
        exit_code: what the process ends with.
    """

    def __init__(self, message: str = "", exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def say(text: str) -> None:
    """Print at once, so that the order is right beside the output of other programs."""
    print(f"{text}\n", end="", flush=True)  # in one piece: steps run side by side


def environment() -> dict[str, str]:
    """Give programs the caller's environment, without what would let other packages into ours."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONHOME", "PYTHONPATH"}}
    return {**kept, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}


def step(what: str, *commands: list[str]) -> bool:
    """Run commands quietly, one after the other; say when they begin and end, and what one says that fails.

    Returns:
        Whether all of them succeeded.
    """
    say(f"bootstrap: {what} ...")
    start = time.monotonic()
    for command in commands:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if done.returncode:
            output = "\n" + done.stdout.decode(errors="replace").rstrip()
            if NO_NETWORK.search(output) and GIVEN_UP.search(output):
                OFFLINE.set()
                output = (
                    " the network cannot be reached; connect this machine, or set a proxy in "
                    "https_proxy, and run this again."
                )
            say(f"bootstrap: {what} failed after {time.monotonic() - start:.1f} s:{output}")
            return False
    say(f"bootstrap: {what}: {time.monotonic() - start:.1f} s")
    return True


def hand_over(command: list[str]) -> int:
    """Run the program that the user came for, on the user's terminal, and give its exit code."""
    child = subprocess.Popen(command, cwd=ROOT, env=environment())
    # The terminal sends Ctrl-C to both of us: the program tidies up, and we wait for it.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    code = child.wait()
    return code if code >= 0 else 128 - code


def check_python(version: tuple[int, ...]) -> None:
    """Refuse a Python that Formicary was not tried with, as pip would in many lines."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    tried = re.findall(r'"Programming Language :: Python :: (\d+\.\d+)"', project)
    here = "{}.{}".format(*version)
    if here not in tried:
        raise SetupError(
            f"Formicary is tested with Python {tried[0]} to {tried[-1]} and this is Python {here}: "
            f"use one of those, as in `python{tried[-1]} deploy/bootstrap.py`.",
            exit_code=2,
        )


# The system's packages


def as_root() -> list[str] | None:
    """Give what stands before a command to run it as root: nothing, sudo, or None where we may not."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0:
        return [sudo, "-n"]
    return None


def why_not_install() -> str | None:
    """Say why system packages cannot be installed here, or None where they can."""
    if not shutil.which("apt-get"):
        return "this system has no apt-get"
    if as_root() is None:
        return "this account is neither root nor has sudo without a password"
    if OFFLINE.is_set():
        return "the network cannot be reached"
    return None


def install_package(package: str) -> bool:
    """Install a system package without starting the service that comes with it; one at a time.

    Returns:
        Whether it is installed now.
    """
    with INSTALLING:
        return install_without_starting(package)


def install_without_starting(package: str) -> bool:
    """Install a system package while its service is forbidden to start."""
    root = as_root() or []
    apt = [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]
    if not LISTS_READ.is_set():
        # Some list may be out of order: what counts is whether the package can be installed.
        step("reading the system's package lists", [*apt, "update"])
        LISTS_READ.set()
    install = [*apt, "install", "--yes", "--no-install-recommends", package]
    if POLICY.exists():
        return step(f"installing the system package {package}", install)
    with tempfile.NamedTemporaryFile("w", suffix="-policy-rc.d") as policy:
        policy.write("#!/bin/sh\nexit 101\n")  # 101: not allowed
        policy.flush()
        try:
            forbid = [*root, "install", "-m", "755", policy.name, str(POLICY)]
            return step(f"installing the system package {package}", forbid, install)
        finally:
            subprocess.run([*root, "rm", "-f", str(POLICY)], check=False)


def keep_from_starting(service: str) -> None:
    """Keep a packaged service from starting with the machine.

    Formicary starts servers of its own, where nobody else reaches them; the packaged one would listen to the
    world.
    """
    root = as_root() or []
    commands = [[*root, "update-rc.d", service, "disable"]]
    if service == "ssh" and shutil.which("systemctl"):
        # Ubuntu has systemd listen in its place, and start it when somebody comes.
        commands.append([*root, "systemctl", "disable", "ssh.socket"])
    step(f"keeping the packaged service {service} from starting with the machine", *commands)


def ensure_package(package: str) -> bool:
    """Install a system package where it is missing and we may, and return whether it is here."""
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), *ALSO_IN])
    if shutil.which(PROGRAMS[package], path=places):
        return True
    if why_not_install() is not None or not install_package(package):
        return False
    if package in SERVICES:
        keep_from_starting(SERVICES[package])
    return True


def ensure_packages(packages: tuple[str, ...]) -> set[str]:
    """Install what is missing of some packages and may be installed, name the rest, give what is here."""
    missing = [package for package in packages if not ensure_package(package)]
    if missing:
        say(
            f"bootstrap: continuing without missing programs ({why_not_install() or 'see above'}): "
            f"{', '.join(missing)}. To install them, run `sudo apt-get install {' '.join(missing)}` "
            "and then this command again."
        )
    return {*packages} - {*missing}


# The environment


def read_record() -> dict[str, str]:
    """Read the environment's record; refuse an environment that something else created."""
    if RECORD.exists():
        try:
            return dict(json.loads(RECORD.read_text(encoding="utf-8")))
        except (TypeError, ValueError):
            return {}
    if VENV.exists():
        raise SetupError(f"{VENV} was not created by this command: move it away and run this again.")
    return {}


def write_record(record: dict[str, str]) -> None:
    """Note what is in the environment."""
    VENV.mkdir(exist_ok=True)
    new = RECORD.with_suffix(".new")
    new.write_text(json.dumps(record, indent=1), encoding="utf-8")
    new.replace(RECORD)


def make_environment() -> None:
    """Make the environment anew."""
    if importlib.util.find_spec("ensurepip") is None:
        package = "python{}.{}-venv".format(*sys.version_info)
        reason = why_not_install()
        if reason is not None or not install_package(package):
            raise SetupError(
                f"This Python cannot create environments ({reason or 'see above'}): run `sudo "
                f"apt-get install {package}` and then this command again."
            )
    if VENV.exists():
        shutil.rmtree(VENV)
    write_record({})
    if not step("creating the environment .venv", [sys.executable, "-m", "venv", str(VENV)]):
        raise SetupError


def ensure_python() -> dict[str, str]:
    """Create an environment with this Python, and return its record."""
    python = f"{sys.version} {sys.base_prefix} {ROOT}"
    record = read_record()
    if record.get("python") != python or not Path(PYTHON).exists():
        make_environment()
        record = {"python": python}
        write_record(record)
    return record


def ensure_environment(job: str) -> None:
    """Have an environment with the project and what the job needs; return at once where all is there."""
    sources = (ROOT / "pyproject.toml", ROOT / "platform" / "formicary" / "__init__.py", Path(__file__))
    content = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    record = ensure_python()
    if content in (record.get(job), record.get("test")):  # the tests' environment can do every job
        return
    pip = [PYTHON, "-m", "pip", "install"]
    if not step("installing Formicary and its requirements", [*pip, OLDEST_PIP], [*pip, *INSTALLS[job]]):
        raise SetupError
    write_record({**record, job: content})


# The jobs


def bench(arguments: list[str]) -> int:
    """Measure, and give the exit code."""
    ensure_environment("bench")
    if not ensure_packages(("prosody",)):
        say("bootstrap: measuring without a server: one process, and direct links between two")
    return hand_over([str(VENV / "bin" / "formicary"), "bench", "run", *(arguments or ["quick"])])


def test(arguments: list[str]) -> int:
    """Run the gate, the second tier, or pytest with arguments of the user's own; give the exit code."""
    if arguments and arguments != ["--full"] and arguments[0] != "--":
        raise SetupError(
            f"test takes --full or nothing, not {arguments[0]}: what follows -- goes to pytest, as "
            f"in `python3 deploy/bootstrap.py test -- {arguments[0]}`.",
            exit_code=2,
        )
    ensure_python()  # where it cannot be made, nothing else is to be said
    with ThreadPoolExecutor() as beside:
        # The system's packages come while the environment is filled, which needs none.
        packages = beside.submit(ensure_packages, (*MARKS.values(), *HOSTS, *READERS, *DATABASES))
        ensure_environment("test")
        spade = [PYTHON, "-m", "tests.plugins.spade_environment"]
        beside.submit(step, "installing SPADE for the tests", spade)
        if not arguments:
            step("compiling the tests", [PYTHON, "-c", COMPILE])
    if arguments == ["--full"]:
        return hand_over([PYTHON, "-m", "nox", "--tags", "full"])
    here = packages.result()
    missing = [mark for mark, package in MARKS.items() if package not in here]
    selection: list[str] = []
    if missing and not os.environ.get("CI"):
        for mark in missing:
            say(f"bootstrap: skipping the tests marked `{mark}`, which need {MARKS[mark]}")
        selection = ["-m", " and ".join(f"not {mark}" for mark in missing)]
    if arguments:
        return hand_over([PYTHON, "-m", "pytest", *selection, *arguments[1:]])
    return hand_over([PYTHON, "-m", "tests.gate", *(["--", *selection] if selection else [])])


def main(arguments: list[str]) -> int:
    """Do what the command line says and give the exit code."""
    jobs = {"bench": bench, "test": test}
    if not arguments or arguments[0] not in jobs:
        say((__doc__ or "").rstrip())
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    try:
        check_python(sys.version_info[:3])
        return jobs[arguments[0]](arguments[1:])
    except SetupError as error:
        if str(error):
            say(f"bootstrap: {error}")
        return error.exit_code
    except OSError as error:
        say(f"bootstrap: {error}: fix this and run it again.")
        return 1
    except KeyboardInterrupt:
        say("\nbootstrap: interrupted")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
