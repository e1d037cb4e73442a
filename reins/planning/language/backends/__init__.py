"""What runs a language model: llama.cpp in this process, an OpenAI-compatible server, a Hugging Face folder.

A backend imports its package when it is made, for it is optional, and knows nothing of planning: a prompt and a schema
come in, text goes out. May import `model`, `schema`, `grammar` and `settings` of the room above.
"""
