"""Makes the helpers beside these tests importable from the folders below, too."""
