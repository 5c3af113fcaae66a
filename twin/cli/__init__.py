"""The command line: `twin ...`. Each command imports what it needs when it is called."""

__all__ = ["main"]


def main() -> None:
    """Run the command of this process' arguments, and exit with its code."""
    from twin.cli import app  # worker processes and modules of measurements want none of it

    app.main()
