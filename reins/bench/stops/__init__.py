"""Fault injection into the launched graph: how soon the arm stands after each fault, and whether it stays so.

On top of everything, like all of `bench`: nothing imports it but its command.
"""
