"""Takes away what Windows and macOS lack, and a plain install, from each Python that has this on its path.

What Python's own library and others use of it on Linux is loaded before.
"""

import asyncio
import concurrent.futures.process
import concurrent.futures.thread  # noqa: F401
import logging  # noqa: F401
import multiprocessing.connection
import multiprocessing.popen_spawn_posix
import multiprocessing.resource_tracker
import os
import random  # noqa: F401
import shutil
import signal
import subprocess  # noqa: F401
import sys
import tempfile  # noqa: F401

import platformdirs.unix  # noqa: F401
import psutil  # noqa: F401

MODULES = ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty", "uvloop")
LIBRARIES = ("jinja2", "markupsafe", "numpy", "pyarrow", "scipy")
NAMES = {
    os: (
        *("O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "POSIX_SPAWN_OPEN", "fchmod"),
        *("fork", "forkpty", "getegid", "geteuid", "getgid", "getloadavg", "getpgid", "getuid", "killpg"),
        *(
            "memfd_create",
            "mkfifo",
            "posix_spawn",
            "register_at_fork",
            "sched_getaffinity",
            "setsid",
            "sysconf",
        ),
        *("sched_setaffinity", "uname", "wait4"),
    ),
    signal: (
        *("ITIMER_PROF", "ITIMER_REAL", "SIGALRM", "SIGHUP", "SIGPROF", "SIGUSR1", "SIGUSR2", "setitimer"),
        "pthread_sigmask",
    ),
    asyncio: ("open_unix_connection", "start_unix_server"),
}

multiprocessing.resource_tracker._HAVE_SIGMASK = False
os.process_cpu_count = os.cpu_count
shutil._use_fd_functions = False
for module in (*MODULES, *LIBRARIES):
    sys.modules[module] = None
for module, names in NAMES.items():
    for name in names:
        delattr(module, name)


def without_proc(opens):
    def open_otherwise(path, *arguments, **named):
        if str(path).startswith("/proc/"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return opens(path, *arguments, **named)

    return open_otherwise


os.open = without_proc(os.open)
