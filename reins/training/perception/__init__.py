"""Training of the tiny image-to-text model: pictures of our worlds with their truth, a network, and its export.

`recipe.make_vision_model` is the way in. Imports training.renders, perception, models; needs PyTorch and onnx.
"""
