"""Kills or cuts off one of two ejabberd nodes under load, with containers on both.

    python -m tests.faults.cluster [--rounds 5] [--only NAME]

prints the table in docs/ejabberd.md. It needs root, to give containers a hosts file of their own. Both nodes
are on loopback, at 127.0.0.1 and 127.0.0.2, where they listen at the same ports, as on two machines, and find
each other without epmd, which would listen on all interfaces.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from tests.faults.ledger import Account, settle
from tests.faults.side import Side, until
from tests.faults.worker import Setting
from tests.integration.server.federation.ejabberd import LIBRARIES, PROGRAM, SECRET
from tests.plugins.ports import unused_port

from formicary.server.configuration import STANZA_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

_START = 120.0  # s: nodes are slow on a busy machine
_LOAD = 2.0  # s of it before a node is killed
_AWAY = 2.0  # s between the end of a node and its next start, which itself takes some seconds
_SPLIT = 40.0  # s for which it stays so: containers give each other up after 30
_AFTER = 6.0  # s of load when it is back
_PATIENCE = 90.0  # s until all is known of every message
_CONTAINERS = ("c1", "c2")
_BOTH = "pair.test"
"""A name that has the addresses of both nodes."""
_CONFIG = """\
hosts:
  - e.lab.example
listen:
  - port: {port}
    ip: {ip}
    module: ejabberd_service
    access: all
    shaper: none
    max_stanza_size: {limit}
    global_routes: false
    hosts:
{containers}
s2s_max_retry_delay: 2 seconds
modules:
  mod_disco: {{}}
"""
_WATCH = """\
spawn(fun Watch() ->
    case file:delete("split") of
        ok -> [erlang:disconnect_node(Node) || Node <- nodes()];
        _ -> ok
    end,
    case file:read_file("forget") of
        {ok, Name} -> io:format("~nforgot: ~p~n", [ejabberd_cluster:leave(binary_to_atom(Name))]);
        _ -> ok
    end,
    file:delete("forget"),
    timer:sleep(50),
    Watch()
end).
"""
"""What a node does when a file of such a name appears in its folder; `forget` has another node's name."""


class Node:
    """One of the two nodes.

    Args:
        number: 1 or 2; the second joins the first.
        folder: for its files.
        ports: for containers, and for the other node.
    """

    def __init__(self, number: int, folder: Path, ports: tuple[int, int]) -> None:
        self.ip = f"127.0.0.{number}"
        self.name = f"ejabberd@{self.ip}"
        self.process: subprocess.Popen[bytes] | None = None
        self._folder = folder / str(number)
        self._folder.mkdir(mode=0o700)
        self._port, self._node_port = ports
        cookie = self._folder / ".erlang.cookie"
        cookie.write_text(SECRET)
        cookie.chmod(0o400)
        names = "".join(f"      {name}.lab.example:\n        password: {SECRET}\n" for name in _CONTAINERS)
        config = self._folder / "ejabberd.yml"
        config.write_text(
            _CONFIG.format(port=self._port, ip=self.ip, limit=STANZA_LIMIT, containers=names.rstrip("\n"))
        )
        config.chmod(0o600)

    def begin(self, joins: Node | None = None) -> None:
        """Start it; await `ready`.

        Args:
            joins: the node that it joins as a new one; None if it restarts as it was.
        """
        do = "running"
        if joins is not None:
            shutil.rmtree(self._folder / "spool", ignore_errors=True)
            do = f"ejabberd_cluster:join('{joins.name}')"
        environment = {
            **os.environ,
            "EJABBERD_CONFIG_PATH": str(self._folder / "ejabberd.yml"),
            "EJABBERD_LOG_PATH": str(self._folder / "ejabberd.log"),
            "ERL_CRASH_DUMP_BYTES": "0",
            "ERL_LIBS": ":".join(path for path in LIBRARIES if Path(path).is_dir()),
            "HOME": str(self._folder),
        }
        interface = "{" + self.ip.replace(".", ",") + "}"
        # As it starts, its threads wait for each other thousands of times, each time behind all that compute.
        command = ["nice", "-n", "-10", str(shutil.which("erl")), "-noinput", "-name", self.name]
        command += ["-start_epmd", "false"]
        command += ["-erl_epmd_port", str(self._node_port), "-kernel", "inet_dist_use_interface", interface]
        command += ["-mnesia", "dir", f'"{self._folder}/spool"', "-s", "ejabberd"]
        command += ["-eval", f'io:format("~nnode: ~p~n", [{do}]), {_WATCH}']
        with (self._folder / "output").open("wb") as output:
            self.process = subprocess.Popen(
                command,
                env=environment,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    async def ready(self) -> None:
        """Wait until it accepts containers."""
        assert await until(self._is_ready, _START), self.output

    async def _is_ready(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.output
        if "\nnode: " not in self.output:
            return False
        assert "node: running" in self.output or "node: ok" in self.output, self.output
        try:
            _, writer = await asyncio.open_connection(self.ip, self._port)
        except OSError:
            return False
        writer.close()
        return True

    def split(self) -> None:
        """Break its connection to the other node, without preventing another."""
        (self._folder / "split").touch()

    async def forget(self, other: Node) -> None:
        """Remove a dead node from the cluster."""
        new = self._folder / "new"
        new.write_text(other.name)
        asked = new.rename(self._folder / "forget")
        assert await until(lambda: not asked.exists(), _START), self.output

    @property
    def output(self) -> str:
        """Its output."""
        return (self._folder / "output").read_text(errors="replace")

    def kill(self) -> None:
        """Kill it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


class Cluster:
    """Both nodes, during the block.

    Args:
        folder: for their files.
    """

    def __init__(self, folder: Path) -> None:
        self.port = unused_port()
        ports = self.port, unused_port()
        self.nodes = [Node(number, folder, ports) for number in (1, 2)]
        self.hosts = folder / "hosts"
        lines = ["127.0.0.1 localhost", *(f"{node.ip} {_BOTH}" for node in self.nodes)]
        self.hosts.write_text("\n".join(lines) + "\n")

    async def __aenter__(self) -> Self:
        try:
            first, second = self.nodes
            first.begin()
            await first.ready()
            second.begin(joins=first)
            await second.ready()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        for node in self.nodes:
            node.kill()


@dataclass(frozen=True)
class Scenario:
    """Where two containers connect, and what happens to one of the nodes.

    Attributes:
        title: for the table.
        at: the addresses to which they connect.
        killed: the node to kill: 0 or 1.
        route: the route of their messages.
        comes_back: whether it is restarted while they talk.
        is_split: whether the nodes first lose each other for a moment, and stay so for a while.
    """

    title: str
    at: tuple[str, str]
    killed: int
    route: str = "xmpp"
    comes_back: bool = True
    is_split: bool = False


ONE, TWO = "127.0.0.1", "127.0.0.2"
SCENARIOS = {
    "second": Scenario("one on each node; the second is killed, and started again", (ONE, TWO), 1),
    "first": Scenario("one on each node; the first is killed, and started again", (ONE, TWO), 0),
    "gone": Scenario(
        "one on each node; the second is killed, and stays away", (ONE, TWO), 1, comes_back=False
    ),
    "other": Scenario("both on the first node; the second is killed, and started again", (ONE, ONE), 1),
    "name": Scenario(
        "both on the first node, by a name with both addresses; it is killed, and stays away",
        (_BOTH, _BOTH),
        0,
        comes_back=False,
    ),
    "one-name": Scenario(
        "one on each node; the first, whose container knows both by a name, is killed, and stays away",
        (_BOTH, TWO),
        0,
        comes_back=False,
    ),
    "direct": Scenario(
        "one on each node, messages go directly; the second is killed, and started again",
        (ONE, TWO),
        1,
        route="auto",
    ),
    "split": Scenario(
        "one on each node; the connection between the nodes breaks once; 40 s later the second is made anew",
        (ONE, TWO),
        1,
        is_split=True,
    ),
}


@dataclass
class Figures:
    """The results of a scenario's rounds.

    Attributes:
        account: of all messages.
        told_after: seconds until all was known of what was sent before it happened, in each round.
        away: seconds for which the node was away, in each round in which it came back.
        problems: broken guarantees.
    """

    account: Account = field(default_factory=Account)
    told_after: list[float] = field(default_factory=list)
    away: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class Round:
    """One round: both containers are new, and at its end both nodes run.

    Args:
        cluster: the nodes.
        scenario: what happens.
        folder: for ledgers and logs.
    """

    def __init__(self, cluster: Cluster, scenario: Scenario, folder: Path) -> None:
        self._scenario = scenario
        self._victim, self._other = cluster.nodes[scenario.killed], cluster.nodes[1 - scenario.killed]
        bound = 'mount --bind "$0" /etc/hosts && exec "$@"'
        prefix = "unshare", "--mount", "sh", "-c", bound, str(cluster.hosts)
        server = {
            "port": cluster.port,
            "secret": SECRET,
            "platform": "lab.example",
            "stanza_limit": STANZA_LIMIT,
            "folder": None,
        }
        self._sides = []
        for name, other, host in zip(_CONTAINERS, reversed(_CONTAINERS), scenario.at, strict=True):
            options = {"server": {"host": host, **server}, "network": {"route": scenario.route}}
            ledger = str(folder / f"{name}.ledger")
            setting = Setting(name, other, ledger, options, agents=20, limit=20_000, pause=0.01, size=20)
            self._sides.append(Side(setting, folder, prefix))

    async def play(self, figures: Figures) -> None:
        """Play it, and add its results."""
        async with AsyncExitStack() as stack:
            for side in self._sides:
                stack.push_async_callback(side.end)
                await side.start()
            await self._order("start")
            await asyncio.sleep(_LOAD + random.random())
            told = asyncio.create_task(self._strike())
            await self._strike_back(figures)
            answers = await self._order("stop")
            figures.told_after.append(await told)
            await self._settle(answers, figures)
            before = self._account()
            answers += await self._recover()
            await self._settle(answers, figures)
            if self._scenario.comes_back and self._account().received == before.received:
                figures.problems.append(f"it does not go on: {before}")
            for side in self._sides:
                await side.close()
            figures.account += self._account()
            figures.problems += [problem for side in self._sides for problem in side.complaints()]

    async def _strike(self) -> float:
        """Break something, and return after how many seconds all was known of what was sent before."""
        if self._scenario.is_split:
            self._victim.split()
        else:
            self._victim.kill()
        now, ends = time.monotonic(), [list(side.ledger.next) for side in self._sides]
        await until(lambda: self._account(ends).is_settled, _PATIENCE)
        return time.monotonic() - now

    async def _strike_back(self, figures: Figures) -> None:
        """Mend it while they talk, unless it is to stay so."""
        now = time.monotonic()
        await asyncio.sleep(_SPLIT if self._scenario.is_split else _AWAY)
        if self._scenario.comes_back:
            self._victim.kill()
            if self._scenario.is_split:
                await self._other.forget(self._victim)
            self._victim.begin(joins=self._other if self._scenario.is_split else None)
            await self._victim.ready()
            figures.away.append(time.monotonic() - now)
        await asyncio.sleep(_AFTER)

    async def _recover(self) -> list[Any]:
        """Start both nodes, and let the containers talk for a moment if they can."""
        if not self._scenario.comes_back:
            self._victim.begin()
            await self._victim.ready()
            return []
        await self._order("start")
        await asyncio.sleep(1)
        return await self._order("stop")

    async def _order(self, do: str) -> list[Any]:
        return await asyncio.gather(*(side.order(do) for side in self._sides))

    def _account(self, ends: Sequence[list[int] | None] = (None, None)) -> Account:
        one, two = (side.ledger for side in self._sides)
        return settle(one, two, end=ends[0]) + settle(two, one, end=ends[1])

    async def _settle(self, answers: list[Any], figures: Figures) -> None:
        """Wait until every message is accounted for, and check all guarantees."""
        await until(lambda: self._account().is_settled, _PATIENCE)
        account = self._account()
        balance = account.received + account.failed - account.both
        wrong = account.twice + account.disorder + account.made_up
        if wrong or not account.is_settled or account.sent != balance or not account.received:
            figures.problems.append(f"{account}: {answers}")


async def measure(name: str, rounds: int) -> Figures:
    """Play a scenario several times, in a cluster of its own."""
    figures = Figures()
    with tempfile.TemporaryDirectory(prefix="formicary-cluster-") as folder:
        async with Cluster(Path(folder)) as cluster:
            for number in range(rounds):
                own = Path(folder) / f"round-{number}"
                own.mkdir()
                await Round(cluster, SCENARIOS[name], own).play(figures)
    return figures


def row(name: str, figures: Figures) -> str:
    """Return a line of the table."""
    account = figures.account
    numbers = (account.sent, account.received, account.failed, account.both)
    counts = [f"{number:,}".replace(",", "\N{NO-BREAK SPACE}") for number in numbers]
    away, told = (
        f"{min(some):.1f} to {max(some):.1f} s" if some else "" for some in (figures.away, figures.told_after)
    )
    return f"| {' | '.join([SCENARIOS[name].title, *counts, away, told])} |"


def main() -> int:
    """Play the selected scenarios, and print their lines of the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=SCENARIOS, action="append")
    options = parser.parse_args()
    if not PROGRAM.exists():
        sys.exit("ejabberd is not installed: docs/ejabberd.md says what to do before that")
    console, wrong = Console(soft_wrap=True), 0
    for name in options.only or SCENARIOS:
        figures = asyncio.run(measure(name, options.rounds))
        console.print(row(name, figures), markup=False, highlight=False)
        for problem in figures.problems:
            console.print(problem, markup=False)
        wrong += len(figures.problems)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
