"""Imports the standard library from the archive in the program's data.

It is frozen, and runs before anything outside of the frozen modules can be imported.
"""

import _archive
import _frozen_importlib
import _imp
import _io
import encodings
import sys
import zipimport

PATH = "/usr/local/lib/python311.zip"


class Importer(zipimport.zipimporter):
    """A zipimporter whose archive is memory."""

    def __init__(self, path):
        if path != PATH and not path.startswith(PATH + "/"):
            raise zipimport.ZipImportError(f"not in {PATH}: {path!r}", path=path)
        self.archive = PATH
        self.prefix = path[len(PATH) + 1:]
        if self.prefix:
            self.prefix += "/"
        self._files = FILES

    def invalidate_caches(self):
        pass

    def get_resource_reader(self, fullname):
        return Resource(self.prefix + fullname.rpartition(".")[2]) if self.is_package(fullname) else None


class Resource:
    """A file or a folder of the archive, for importlib.resources."""

    def __init__(self, path):
        self.path = path
        self.name = path.rpartition("/")[2]

    def __str__(self):
        return f"{PATH}/{self.path}"

    def files(self):
        return self

    def is_file(self):
        return self.path in FILES

    def is_dir(self):
        return any(self.iterdir())

    def iterdir(self):
        inside = self.path + "/"
        names = (file[len(inside):].partition("/")[0] for file in FILES if file.startswith(inside))
        return (Resource(inside + name) for name in dict.fromkeys(names))

    def joinpath(self, *parts):
        return Resource("/".join((self.path, *map(str, parts))))

    __truediv__ = joinpath

    def open(self, mode="r", **how):
        return open(self, mode, **how)

    def read_bytes(self):
        return Importer(PATH).get_data(self.path)

    def read_text(self, encoding="utf-8", errors="strict"):
        return self.read_bytes().decode(encoding, errors)


class Memory:
    """Stands for the module _io in zipimport, and opens the archive as a file."""

    def __getattr__(self, name):
        return getattr(_io, name)

    def open_code(self, path):
        return _io.BytesIO(_archive.data()) if path == PATH else _io.open_code(path)


def open(path, mode="r", **how):
    """Opens a file, which may be in the archive. Packages that have files are edited to call it."""
    path = str(path)
    if mode not in ("r", "rb") or not path.startswith(PATH + "/"):
        return _io.open(path, mode, **how)
    file = _io.BytesIO(Importer(PATH).get_data(path))
    file.name = path
    return file if "b" in mode else _io.TextIOWrapper(file, **how)


class Extensions:
    """Finds extension modules of packages, which are built in. The importer of built-in modules finds no submodules."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is not None and _imp.is_builtin(name):
            return _frozen_importlib.ModuleSpec(name, _frozen_importlib.BuiltinImporter, origin="built-in")
        return None


sys.meta_path.insert(0, Extensions)
zipimport._io = Memory()
FILES = zipimport._read_directory(PATH)
zipimport._zip_directory_cache[PATH] = FILES
sys.path_hooks.insert(0, Importer)
sys.path_importer_cache.clear()
sys._stdlib_dir = PATH  # gives the modules that are still to come from the frozen ones their __file__
encodings.__path__.append(PATH + "/encodings")
