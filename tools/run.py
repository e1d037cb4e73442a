"""Entry point of `./run`: plain standard library, because it runs before anything is installed."""

import sys

from bootstrap.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
