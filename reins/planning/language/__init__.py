"""Planning with a language model: what it is shown, and what it may answer.

May import contracts, language_models, skills.registry, skills.library and the rest of planning. What a scene, a model
or a file says is data here: it fills places that this room has made, and makes none.
"""
