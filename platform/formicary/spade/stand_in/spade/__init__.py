"""Makes `import spade` return our package in processes that a SPADE program starts."""

from formicary.spade.importing import install

install()
