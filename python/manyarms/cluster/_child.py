"""Runs a program that ends with the process that started it, however that ends.

    python _child.py PARENT PROGRAM ARGUMENT...
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Asks the system to end this process with its parent, and becomes the program."""
    parent, program = int(sys.argv[1]), sys.argv[2]
    if ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) != 0:
        sys.exit("prctl failed")
    if os.getppid() != parent:  # it ended before
        sys.exit(1)
    os.execv(program, sys.argv[2:])


if __name__ == "__main__":
    main()
