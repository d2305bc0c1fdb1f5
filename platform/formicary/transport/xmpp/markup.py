"""Text and attributes of XML, as `xml.sax.saxutils` writes them: that would load an HTTP client and email."""

from __future__ import annotations


def escape(text: str) -> str:
    """Return what stands for a text between tags."""
    return text.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")


def quoted(text: str) -> str:
    """Return what stands for the value of an attribute, with the quotes around it."""
    text = escape(text).replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    if '"' not in text:
        return f'"{text}"'
    return '"{}"'.format(text.replace('"', "&quot;")) if "'" in text else f"'{text}'"
