"""Compile ONNX convolutional networks into firmware for small boards."""

__version__ = "0.1.0"
