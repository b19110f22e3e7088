"""Cases for every entry of the kernel catalogue: made here, run by driver/ on each target."""
