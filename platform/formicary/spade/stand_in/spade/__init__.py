"""What `import spade` finds first in processes that a program for SPADE starts: our package."""

from formicary.spade.importing import install

install()
