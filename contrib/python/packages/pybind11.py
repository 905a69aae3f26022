"""Edits the headers of pybind11 for the sizes of this build's NumPy, which have 64 bits: pybind11.py FOLDER.

Each edit must find what it replaces, as often as it says.
"""

import pathlib
import re
import sys

from edits import editor

root = pathlib.Path(sys.argv[1])
edit = editor(root)

# NumPy's sizes and strides are npy_size. Those of the buffer protocol stay Py_ssize_t.
numpy = root / "numpy.h"
head, same, rest = numpy.read_text().partition(
    'static_assert(sizeof(::pybind11::ssize_t) == sizeof(Py_intptr_t), "ssize_t != Py_intptr_t");\n'
    'static_assert(std::is_signed<Py_intptr_t>::value, "Py_intptr_t must be signed");\n')
if not same:
    sys.exit(f"{numpy}: Py_intptr_t is not compared to ssize_t")
rest = re.sub(r"\b(Py_intptr_t|ssize_t)\b", "npy_size", rest)
numpy.write_text(head + "using npy_size = long long;\n" + rest)
edit("numpy.h", ("return std::max(res, buf.ndim);", "return std::max<npy_size>(res, buf.ndim);"))
for order in "cf":
    edit("buffer_info.h",
         (f"inline std::vector<ssize_t> {order}_strides(const std::vector<ssize_t> &shape, ssize_t itemsize) {{\n"
          "    auto ndim = shape.size();\n    std::vector<ssize_t>",
          f"template <typename S = ssize_t>\nstd::vector<S> {order}_strides(const std::vector<S> &shape, "
          "ssize_t itemsize) {\n    auto ndim = shape.size();\n    std::vector<S>"))
edit("buffer_info.h", ("detail::c_strides({view->shape", "detail::c_strides<ssize_t>({view->shape"))

# Without threads nothing is locked, and libc++ has no mutex.
edit("detail/internals.h", ("std::lock_guard<std::mutex> lock(pp_set_mutex_);", "", 3))
internals = root / "detail/internals.h"
internals.write_text(re.sub(r"^\s*(static )?std::mutex &?\w+;\n", "", internals.read_text(), flags=re.M))
