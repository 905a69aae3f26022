"""Lets Meson build Pillow, whose own build looks for libraries of the machine: pillow.py ROOT.

It has zlib, libjpeg and FreeType, which are those of the folder around it: PNG, JPEG, GIF, BMP and text. Fonts may be
files of the module's archive.
"""

import pathlib
import re
import sys

import signatures
from edits import editor

root = pathlib.Path(sys.argv[1]).resolve()
setup = (root / "setup.py").read_text()
edit = editor(root)


def names(list):
    """The names of one of the lists of sources."""
    found = re.findall(rf"^{list} = \((.*?)\)", setup, re.M | re.S)
    if len(found) != 1:
        sys.exit(f"setup.py has {list} {len(found)} times")
    return re.findall(r'"(\w+)"', found[0])


version = re.search(r'"(.*)"', (root / "src/PIL/_version.py").read_text())[1]
sources = ["src/_imaging.c", *(f"src/{name}.c" for name in names("_IMAGING")),
           *(f"src/libImaging/{name}.c" for name in names("_LIB_IMAGING")), "src/libImaging/Mode.c"]
(root / "meson.build").write_text(f"""project('pillow', 'c')
py3 = import('python').find_installation(pure: false)
flags = ['-DHAVE_LIBJPEG', '-DHAVE_LIBZ', '-DPILLOW_VERSION="{version}"', '-I{root.parent}/include',
  '-mllvm', '-wasm-enable-sjlj', '-mllvm', '-wasm-use-legacy-eh=false']
py3.extension_module('_imaging', {sources}, c_args: flags,
  link_args: '{root.parent}/lib/libjpeg.a', subdir: 'PIL', install: true)
py3.extension_module('_imagingft', ['src/_imagingft.c', 'src/libImaging/Mode.c'], c_args: flags,
  link_args: '{root.parent}/lib/libfreetype.a', subdir: 'PIL', install: true)
foreach name : ['_imagingmath', '_imagingmorph']
  py3.extension_module(name, 'src/' + name + '.c', c_args: flags, subdir: 'PIL', install: true)
endforeach
install_subdir('src/PIL', install_dir: py3.get_install_dir())
""")

edit("src/PIL/ImageFont.py",
     ("import base64\n", "import _stdlib\nimport base64\n"),
     ("            font = os.fspath(font)\n            if sys.platform",
      "            font = os.fspath(font)\n            if isinstance(font, str) and font.startswith(_stdlib.PATH):\n"
      "                return load_from_bytes(_stdlib.open(font, \"rb\"))\n            if sys.platform"))
# An image is shown as a notebook shows it.
edit("src/PIL/Image.py",
     ("        from . import ImageShow\n\n        ImageShow.show(self, title)",
      "        from IPython.display import display\n\n        display(self)"))

signatures.correct((root / "src").glob("*.c"), 16)
