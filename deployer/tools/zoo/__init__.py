"""Reference networks as seeded ONNX files, in the graph styles that exporters write."""
