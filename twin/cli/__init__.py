"""The command line: `twin ...`. Each command imports what it needs when it is called."""

import os

__all__ = ["main"]

# Before numpy comes, also in the processes that this one starts: the sums of a hall are so short that threads of its
# linear algebra cost more than they save.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main() -> None:
    """Run the command of this process' arguments, and exit with its code."""
    from twin.cli import app  # worker processes and modules of measurements want none of it

    app.main()
