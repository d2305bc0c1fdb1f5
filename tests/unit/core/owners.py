"""Files of somebody else, whoever runs the tests."""

import os

SOMEBODY = 65534


def give_away(path, monkeypatch):
    """Have a file or folder belong to another user than this process does."""
    if os.geteuid() == 0:  # who trusts files of root is to be refused this one, too
        os.chown(path, SOMEBODY, SOMEBODY)
    else:
        owner = path.stat().st_uid
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
