"""Pure readers of what the recorder wrote: they need the standard library and `grid` only."""
