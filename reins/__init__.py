"""reins: let people drive robots by language, safely. Each concern has a room; docs/architecture.md is the map."""

__version__ = "0.1.0"
