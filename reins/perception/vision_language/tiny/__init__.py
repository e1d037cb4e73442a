"""A small image-to-text model of our own, as it runs: its words, what may follow what, its file, and its door.

Made by `reins train perception` (`reins/training/perception/`). May import contracts, language_models, models and the
rest of vision_language; no deep-learning framework but ONNX Runtime.
"""
