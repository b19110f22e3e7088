"""Energy: what a meter records, the windows in it, energy per inference or a refusal."""
