"""What a distribution says of where the project lives: its addresses, and the README's links, made absolute.

The address is one setting, `address` of `[tool.hatch.metadata.hooks.custom]` in pyproject.toml. As long as it
is empty, there are no addresses, and the README's links stay relative.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PLACEHOLDER = "ADDRESS-OF-THIS-REPOSITORY"  # in the README
RELATIVE_LINK = re.compile(r"(!?)(\[[^\]]*\])\((?![a-z]+:|#)")


class CustomMetadataHook(MetadataHookInterface):
    """Adds `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add them to the project's metadata."""
        address = self.config["address"].rstrip("/")
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        if address:
            text = RELATIVE_LINK.sub(
                lambda link: f"{link[1]}{link[2]}({address}/{'raw' if link[1] else 'blob'}/HEAD/", text
            ).replace(PLACEHOLDER, address)
            metadata["urls"] = {
                "Source": address,
                "Documentation": f"{address}/blob/HEAD/docs/index.md",
                "Changelog": f"{address}/blob/HEAD/docs/changelog.md",
                "Issues": f"{address}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
