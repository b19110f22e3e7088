"""ONNX operators to the operators of the IR, one function each.

Nothing is optimized here: activations become Rescale, batch norm becomes a 1x1 depthwise
convolution, reshapes of images get transposes around them. The passes remove what they can.
"""
