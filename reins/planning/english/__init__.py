"""Controlled English: lexicon → tokens → grammar (what was said) → meaning (what it is about in this scene).

Every word has to be known: one that is not is named in the refusal, never skipped.
"""
