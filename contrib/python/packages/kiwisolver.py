"""Lets Meson build kiwisolver, whose own build asks the Python that runs it for headers: kiwisolver.py ROOT.

There are no threads, and libc++ has no mutex: the lock, which only a Python without its global lock takes, is left out.
"""

import pathlib
import sys

import signatures
from edits import editor

root = pathlib.Path(sys.argv[1])
(root / "meson.build").write_text("""project('kiwisolver', 'cpp', default_options: ['cpp_std=c++17'])
py3 = import('python').find_installation(pure: false)
cppy = run_command(py3, '-c', 'import cppy; print(cppy.get_include())', check: true).stdout().strip()
sources = ['kiwisolver', 'constraint', 'expression', 'solver', 'strength', 'term', 'variable']
files = []
foreach source : sources
  files += 'py/src/' + source + '.cpp'
endforeach
py3.extension_module('_cext', files, cpp_args: ['-I' + cppy], include_directories: '.', subdir: 'kiwisolver',
  install: true)
install_subdir('py/kiwisolver', install_dir: py3.get_install_dir())
""")

editor(root)("py/src/kiwisolver.cpp", ("std::recursive_mutex global_lock;", ""))
signatures.correct((root / "py/src").glob("*.cpp"), 21)
