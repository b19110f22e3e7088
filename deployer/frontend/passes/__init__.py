"""Graph rewrites of the import, each a rule: (graph, node) to a new graph, or None."""
