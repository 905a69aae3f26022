"""See mesonpy.py."""
