"""What is declared of subjects: modules that have their roles, and names of their own."""

import subprocess
import sys
from importlib import import_module

import pytest

from formicary.errors import UsageError
from formicary_bench.subjects.registry import SUBJECTS, label_of, subject_of
from formicary_bench.vocabulary.places import APART, ASK, BOTH, CREATE, ECHO, MEMBER, N_HOSTS, SAME, TWO_HOSTS

ROLES = {SAME: {BOTH}, APART: {ASK, ECHO}, TWO_HOSTS: {ASK, ECHO}, N_HOSTS: {MEMBER}}


@pytest.mark.parametrize(
    "subject",
    [
        pytest.param(one, id=one.name, marks=[getattr(pytest.mark, one.extra)] if one.extra else [])
        for one in SUBJECTS
        if one.module
    ],
)
def test_a_module_has_the_roles_of_all_placements(subject):
    module = import_module(subject.module)
    roles = set().union(*(ROLES[placement] for placement in subject.carriers))
    roles |= {CREATE} if "create" in subject.families else set()
    assert {role for role in roles if not hasattr(module, role)} == set()


def test_each_subject_has_a_name_and_a_label_of_its_own():
    assert len({one.name for one in SUBJECTS}) == len(SUBJECTS)
    assert len({one.label for one in SUBJECTS} - {""}) == len(SUBJECTS)
    assert label_of("tcp", "") == "TCP sockets"
    assert label_of("jade", "") == "JADE"  # whether it is installed or not
    assert not label_of("elsewhere", "")


def test_what_is_declared_is_found_and_what_is_not_is_a_sentence():
    assert [subject_of(one.platform, one.kind) for one in SUBJECTS] == list(SUBJECTS)
    with pytest.raises(UsageError, match="the platform elsewhere is not installed here"):
        subject_of("elsewhere", "")


def test_subjects_are_listed_without_loading_them():
    program = "import sys, formicary_bench.subjects.registry; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert not {one.module for one in SUBJECTS if one.module} & set(done.stdout.split())
