"""The command line: `twin ...`. Each command imports what it needs when it is called."""

from twin.cli.app import main

__all__ = ["main"]
