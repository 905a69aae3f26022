"""Writes the header with the standard library: pack.py LIB PYCONFIG_H STDLIB HEADER PACKAGES..., which are folders."""

import io
import marshal
import os
import sys
import sysconfig
import zipfile
from importlib.util import MAGIC_NUMBER

PATH = "/usr/local/lib/python311.zip"
TIME = (1980, 1, 1, 0, 0, 0)

# Frozen beside what CPython freezes itself: what it imports before _stdlib.
FROZEN = ["encodings", "encodings.aliases", "encodings.utf_8", "encodings.latin_1", "encodings.ascii"]

# What cannot work in a sandbox, or that nobody can use there.
LEFT_OUT = {"test", "tests", "idlelib", "lib2to3", "tkinter", "turtledemo", "ensurepip", "venv", "msilib", "curses",
            "site-packages", "__pycache__", "distutils", "pydoc_data"}
LEFT_OUT_FILES = {"turtle.py", "antigravity.py", "this.py"}

# What packages have for compilers, or as extension modules, which are not in the archive.
FOR_COMPILERS = (".so", ".a", ".c", ".h", ".pyi", ".pyx", ".pxd", ".pxi", ".in", ".typed", ".build")


def modules(lib, data=False):
    """The files of the library, with their paths inside of it, sorted; with data, files of all kinds."""
    for folder, folders, files in os.walk(lib):
        folders[:] = sorted(f for f in folders if f not in LEFT_OUT)
        for file in sorted(files):
            if file in LEFT_OUT_FILES:
                continue
            if file.endswith((".py", ".txt")) or data and not file.endswith(FOR_COMPILERS):
                path = os.path.join(folder, file)
                yield path, os.path.relpath(path, lib).replace(os.sep, "/")


def configuration(header):
    """The module in which sysconfig looks up how Python was built: what its header says, and no paths of the build."""
    with open(header) as file:
        variables = sysconfig.parse_config_h(file)
    variables.update(prefix="/usr/local", exec_prefix="/usr/local", VERSION="3.11", TZPATH="")
    return f"build_time_vars = {dict(sorted(variables.items()))!r}\n".encode()


def compiled(source, name):
    """The code of a module, as it is in a .pyc file of which nobody checks the time."""
    code = compile(source, f"{PATH}/{name}", "exec", dont_inherit=True, optimize=0)
    return MAGIC_NUMBER + bytes([1, 0, 0, 0]) + bytes(8) + marshal.dumps(code)


def archive(lib, config, packages):
    """The standard library as a zip file, sources and code; of packages the code alone."""
    files = {"_sysconfigdata__wasm32-wasi.py": configuration(config)}
    for path, name in modules(lib):
        with open(path, "rb") as file:
            files[name] = file.read()
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compresslevel=9) as out:
        for name, content in files.items():
            out.writestr(zipfile.ZipInfo(name, TIME), content, zipfile.ZIP_DEFLATED)
            if name.endswith(".py"):
                out.writestr(zipfile.ZipInfo(name + "c", TIME), compiled(content, name), zipfile.ZIP_DEFLATED)
        for folder in packages:
            for path, name in modules(folder, data=True):
                with open(path, "rb") as file:
                    content = file.read()
                if name.endswith(".py"):
                    name, content = name + "c", compiled(content, name)
                out.writestr(zipfile.ZipInfo(name, TIME), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def array(out, name, data):
    """Writes an array in C."""
    out.write(f"static const unsigned char {name}[] = {{\n")
    for at in range(0, len(data), 64):
        out.write(",".join(map(str, data[at:at + 64])) + ",\n")
    out.write("};\n")


def main(lib, config, stdlib, header, *packages):
    with open(header, "w") as out:
        out.write(f'#define ARCHIVE_PATH "{PATH}"\n')
        data = archive(lib, config, packages)
        array(out, "archive", data)
        out.write(f"static const Py_ssize_t archive_size = {len(data)};\n")
        table = []
        for name in FROZEN + ["_stdlib"]:
            package = name == "encodings"
            path = os.path.join(lib, name.replace(".", "/") + ("/__init__.py" if package else ".py"))
            if name == "_stdlib":
                path = stdlib
            with open(path, "rb") as file:
                code = marshal.dumps(compile(file.read(), f"<frozen {name}>", "exec", dont_inherit=True, optimize=0))
            symbol = "frozen_" + name.replace(".", "_")
            array(out, symbol, code)
            table.append(f'    {{"{name}", {symbol}, {len(code)}, {int(package)}, NULL}},\n')
        out.write("static const struct _frozen frozen[] = {\n" + "".join(table) + "    {NULL, NULL, 0, 0, NULL},\n};\n")


main(*sys.argv[1:])
