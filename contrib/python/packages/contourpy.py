"""Edits contourpy's sources: contourpy.py ROOT. Each edit must find what it replaces, once.

There are no threads: the algorithm "threaded" is the serial one.
"""

import pathlib
import sys

from edits import cutter, editor

root = pathlib.Path(sys.argv[1])
edit, cut = editor(root), cutter(root)

edit("meson.build", ("    'werror=true',\n", ""))
edit("lib/contourpy/util/meson.build",
     ("""  run_command(
    py3,
    ['-c', 'import importlib.metadata as im; print(im.version("meson-python"))'],
    check: true
  ).stdout().strip()
""", "  ''\n"),
     ("meson.build_options().replace('\\\\', '/').replace('\"', '').replace('\\'\\'', '')", "''"),
     ("meson.current_build_dir().replace('\\\\', '/')", "''"),
     ("meson.current_source_dir().replace('\\\\', '/')", "''"),
     ("py3.full_path().replace('\\\\', '/')", "''"),
     ("' '.join(cpp.cmd_array())", "''"))
edit("src/meson.build", ("    'threaded.cpp',\n", ""))
# The sizes of arrays have 64 bits, those of lists 32.
for file in ("src/contour_generator.cpp", "src/base_impl.h"):
    edit(file, ("auto n = levels_proxy.size();", "index_t n = levels_proxy.size();", 2))
edit("src/util.cpp",
     ("#include <thread>\n", ""),
     ("static_cast<index_t>(std::thread::hardware_concurrency())", "1"))
cut("src/wrap.cpp", "    py::class_<contourpy::ThreadedContourGenerator, ", None, "}\n")
edit("src/wrap.cpp", ('#include "threaded.h"\n', ""))
edit("lib/contourpy/__init__.py",
     ("    ThreadedContourGenerator,\n    ZInterp,\n    max_threads,\n)\n",
      "    ZInterp,\n    max_threads,\n)\n"
      "from contourpy._contourpy import SerialContourGenerator as ThreadedContourGenerator\n"))
