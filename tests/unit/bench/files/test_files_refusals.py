"""Space is to be freed where there is none, and not where a permission is missing."""

from __future__ import annotations

import errno
import os

import pytest

from formicary.errors import UsageError
from formicary_bench.files.refusals import next_step
from formicary_bench.results.store.folder import _writing


@pytest.mark.parametrize(
    ("number", "frees"),
    [(errno.ENOSPC, True), (errno.EDQUOT, True), (errno.EACCES, False), (errno.EROFS, False)],
)
def test_what_to_do_follows_from_the_reason(number, frees):
    said = next_step(OSError(number, os.strerror(number)), "name another folder")
    assert said == ("free some space or name another folder" if frees else "name another folder")


def test_a_run_folder_that_may_not_be_written(tmp_path):
    with pytest.raises(UsageError, match=r"\(Permission denied\): choose another place$"), _writing(tmp_path):
        raise PermissionError(errno.EACCES, "Permission denied")
