"""Waiting for what a server has still to say."""

from __future__ import annotations

import asyncio


async def until(condition):
    """Wait until something is true; 20 s at most."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 -- nobody tells
            await asyncio.sleep(0.01)
