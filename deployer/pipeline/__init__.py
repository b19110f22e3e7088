"""Stage order, artifact store, resume: from an ONNX file to a run record."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
