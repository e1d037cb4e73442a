"""What runs a language model: llama.cpp in this process, an OpenAI-compatible server, a Hugging Face folder.

A prompt, pictures and a schema come in, text goes out; nothing here knows of planning, scenes or robots. A backend
imports its package when it is made, for it is optional. May import contracts.
"""
