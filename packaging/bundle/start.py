"""Where the bundled program begins: `twin ...`, and the processes that it starts of itself."""

from __future__ import annotations

import multiprocessing
import runpy
import sys


def main() -> None:
    """Run a worker, a module that the program names with ``-m`` (there is no other Python here), or the command."""
    multiprocessing.freeze_support()
    if sys.argv[1:2] == ["-m"] and sys.argv[2:3] and sys.argv[2].split(".")[0] == "twin":
        module = sys.argv[2]
        del sys.argv[1:3]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        return
    from twin.cli import main as command

    command()


if __name__ == "__main__":
    main()
