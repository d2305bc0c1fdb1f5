"""Commands that look at a platform whose containers share an ordinary account."""

from __future__ import annotations

import pytest

from formicary.server import ManagedServer

pytestmark = [pytest.mark.server, pytest.mark.accounts]


def test_a_platform_is_looked_at(lab):
    (lab.path / "password").write_text("secret\n")
    with ManagedServer() as server:
        jid = server.create_account("lab", "secret", "localhost")
        where = ("--account", jid, "--account-server", f"127.0.0.1:{server.client_port}")
        where += ("--password-file", "password", "--insecure")
        with lab.run(*where, warnings=1):
            said = lab.ask("agents", *where).stderr
            assert said.startswith("WARNING formicary.transport.login: ")
            assert said.count("\n") == 1
            lab.until(lambda: "laser@c1" in lab.ask("agents", *where).stdout)
            done = lab.ask("kill", "laser", *where)
            assert (done.returncode, done.stdout) == (0, "killed laser@c1.lab.account.localhost\n"), (
                done.stderr
            )
