"""Places of a labgrid, which another Python holds for us (docs/labgrid.md)."""
