"""Stage order, artifact store, resume: from an ONNX file to a run record."""
