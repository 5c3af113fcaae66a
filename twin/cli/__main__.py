"""``python -m twin.cli``: the same as ``twin``."""

from twin.cli.app import main

if __name__ == "__main__":
    main()
