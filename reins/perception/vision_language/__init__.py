"""What a vision-language model says of a picture: the question, its reply, and what geometry thinks of it.

A model gives words, geometry gives numbers. What the model says is data: it fills places that this room has made, and
puts nothing into a scene that was not measured. May import contracts, language_models and the rest of perception.
"""
