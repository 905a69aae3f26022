"""Writes the header with the table of extension modules: modules.py HEADER NAMES..."""

import sys


def main(header, *names):
    symbols = {name: "init_" + name.replace(".", "__") for name in names}
    with open(header, "w") as out:
        for symbol in symbols.values():
            out.write(f"PyObject *{symbol}(void);\n")
        out.write("static struct _inittab modules[] = {\n")
        for name, symbol in symbols.items():
            out.write(f'    {{"{name}", {symbol}}},\n')
        out.write("    {NULL, NULL},\n};\n")


main(*sys.argv[1:])
