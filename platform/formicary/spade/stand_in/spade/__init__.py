"""Makes `import spade` return our package in processes that a program for SPADE starts."""

from formicary.spade.importing import install

install()
