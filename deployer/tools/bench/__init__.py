"""Tables over many runs of the pipeline: the zoo on every board, a model in every quantization."""
