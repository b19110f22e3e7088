"""Tools beside the compiler: benchmarks, a timing model, reference networks and training."""
