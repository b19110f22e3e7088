"""Pictures of networks, of memory over time and of sweeps, as SVG, HTML or text."""
