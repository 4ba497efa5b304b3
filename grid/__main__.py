"""`python -m grid`: the same as the command `nonverba`."""

from grid.cli import main

if __name__ == "__main__":
    main()
