"""What `grid` offers; see the module itself."""

from grid.cli.running import run as run
