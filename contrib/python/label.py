"""Puts a custom section in front of a module that says which packages it has: label.py MODULE PACKAGES_TXT.

toolrun reads it to tell models what there is, without loading the module.
"""

import sys

NAME = b"toolrun.packages"


def encoded(value):
    """A number in LEB128."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def main(module, packages):
    with open(packages, "rb") as file:
        section = bytes([len(NAME)]) + NAME + file.read()
    with open(module, "rb") as file:
        data = file.read()
    with open(module, "wb") as file:
        file.write(data[:8] + b"\0" + encoded(len(section)) + section + data[8:])


main(*sys.argv[1:])
