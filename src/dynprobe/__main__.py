"""`dynprobe`, and `python -m dynprobe`."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command line; the exit code is one of `dynprobe.errors.ExitCode`."""
    from dynprobe.cli.app import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
