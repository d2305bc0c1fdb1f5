"""How the documentation is built; `nox -s docs` does it, with warnings as errors."""

from __future__ import annotations

import sys
from pathlib import Path

import formicary

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "Formicary"
author = "The Formicary developers"
copyright = "The Formicary developers"
version = release = formicary.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "command_line", "gallery"]
exclude_patterns = ["_build", "_gallery"]

html_theme = "furo"
html_title = "Formicary"
html_static_path: list[str] = []

myst_enable_extensions = ["colon_fence", "deflist", "substitution"]
myst_heading_anchors = 3
myst_substitutions = {"version": version}

suppress_warnings = ["misc.highlighting_failure"]  # Mermaid, which others draw

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
default_role = "code"  # as docstrings mean a single backtick
napoleon_numpy_docstring = False
napoleon_use_ivar = True

# What is of Python or of libraries, and what stands in signatures though users never name it.
nitpick_ignore_regex = [
    (r"py:.*", r"(asyncio|collections|random|types|typing)\..*"),
    (r"py:class", r"(logging\.)?Logger|(socket\.)?socket|TracebackType|Element|Handler"),
    (r"py:class", r"(datetime\.)?(datetime|timedelta)|(os\.)?PathLike|(pathlib\.)?Path|R|T|Ts|Action"),
    (
        r"py:class",
        r"(formicary\.[a-z_.]+\.)?(Connectable|Conversations|Filters|Gatekeeper|BaseAgent|Seen|Launcher|Means|Mode|Carrier|Connections|ServerState|StateFolder|Strand)",
    ),
]
