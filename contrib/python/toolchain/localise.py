"""Prepares an extension module to be linked into one program with others: localise.py OBJECT MODULE.

A relocatable WebAssembly object holds one extension module. Its symbols become local, so that modules may define the
same names, except for weak ones (C++'s inline functions). PyInit_NAME gets the name of the whole module:
init_PACKAGE__NAME.
"""

import sys

FUNCTION, DATA, SECTION = 0, 1, 3
WEAK, LOCAL, UNDEFINED, EXPLICIT_NAME = 1, 2, 0x10, 0x40
SYMBOL_TABLE = 8


def number(data, at):
    """The number that begins there (LEB128), and where it ends."""
    result = shift = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return result, at


def encoded(value):
    """A number in LEB128."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def symbols(table, module, renamed):
    """The symbol table with what is said above."""
    count, at = number(table, 0)
    out = bytearray(encoded(count))
    for _ in range(count):
        kind = table[at]
        flags, at = number(table, at + 1)
        index = rest = b""
        name = None
        if kind != DATA:
            start = at
            _, at = number(table, at)
            index = table[start:at]
        if kind == DATA or kind != SECTION and (not flags & UNDEFINED or flags & EXPLICIT_NAME):
            length, at = number(table, at)
            name = table[at:at + length]
            at += length
        if kind == DATA and not flags & UNDEFINED:
            start = at
            for _ in range(3):
                _, at = number(table, at)
            rest = table[start:at]
        if name is not None and not flags & UNDEFINED:
            if kind == FUNCTION and name.startswith(b"PyInit_"):
                renamed.append(name)
                name = b"init_" + module.replace(".", "__").encode()
                flags &= ~7
            elif not flags & WEAK:
                flags |= LOCAL
        out += bytes([kind]) + encoded(flags) + index
        if name is not None:
            out += encoded(len(name)) + name
        out += rest
    return bytes(out)


def linking(section, module, renamed):
    """The section of the linker with its symbol table changed."""
    _, at = number(section, 0)
    out = bytearray(section[:at])
    while at < len(section):
        kind = section[at]
        size, at = number(section, at + 1)
        part = section[at:at + size]
        at += size
        if kind == SYMBOL_TABLE:
            part = symbols(part, module, renamed)
        out += bytes([kind]) + encoded(len(part)) + part
    return bytes(out)


def localise(path, module):
    """Changes the object in a file, which is that module."""
    with open(path, "rb") as file:
        data = file.read()
    out = bytearray(data[:8])
    at, renamed = 8, []
    while at < len(data):
        kind = data[at]
        size, at = number(data, at + 1)
        section = data[at:at + size]
        at += size
        if kind == 0:
            length, body = number(section, 0)
            body += length
            if section[body - length:body] == b"linking":
                section = section[:body] + linking(section[body:], module, renamed)
        out += bytes([kind]) + encoded(len(section)) + section
    if len(renamed) != 1:
        raise ValueError(f"{path}: not one PyInit function: {renamed}")
    with open(path, "wb") as file:
        file.write(out)


localise(*sys.argv[1:])
