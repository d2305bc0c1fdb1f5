"""The system's programs that a lab is made with: ip, tc, sshd."""

from __future__ import annotations

import os
import shutil
import subprocess

from formicary.processes.child import ended_with_us
from formicary_bench.netlab import LabError

PACKAGES = {"ip": "iproute2", "tc": "iproute2", "sshd": "openssh-server"}
"""Which package brings each of them, on Debian and Ubuntu."""

_PLACES = ("/usr/sbin", "/sbin", "/usr/local/sbin")  # not on everybody's PATH
_SECONDS = 30.0  # far more than any of them takes


class FailedError(LabError):
    """A program has said that it cannot do something."""

    def __init__(self, said: str, sentence: str) -> None:
        super().__init__(sentence)
        self.said = said


def find(program: str) -> str:
    """Return the path of a program.

    Raises:
        LabError: it is not installed.
    """
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *_PLACES])
    if found := shutil.which(program, path=path):
        return found
    package = PACKAGES[program]
    raise LabError(
        f"a lab requires the program {program}, which is not installed; install it (Debian, Ubuntu: "
        f"sudo apt-get install {package})"
    )


def run(program: str, *arguments: str) -> str:
    """Run a program to its end and return what it printed.

    Raises:
        FailedError: it ended with another exit code than 0, or did not end.
    """
    # Nothing of ours in the environment: an sshd keeps what it gets for as long as it runs.
    environment = {"PATH": os.pathsep.join(["/usr/bin", "/bin", *_PLACES]), "LC_ALL": "C.UTF-8"}
    # Otherwise what a killed command has started would continue, and outlive the removal of everything else.
    command = ended_with_us([find(program), *arguments])
    try:
        done = subprocess.run(  # noqa: S603 - the lab's own arguments, no shell
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            start_new_session=True,  # Ctrl-C is for us: what is being done is done, and then undone
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise FailedError("", f"`{program} {' '.join(arguments)}` does not end") from None
    if done.returncode == 0:
        return done.stdout.decode(errors="replace")
    said = " ".join(done.stderr.decode(errors="replace").split()) or f"exit code {done.returncode}"
    raise FailedError(said, f"`{program} {' '.join(arguments)}` failed: {said}")


def ip(*arguments: str) -> str:
    """Run iproute2's `ip`."""
    return run("ip", *arguments)
