"""Edits Matplotlib's sources: matplotlib.py ROOT. Each edit must find what it replaces, once.

Its files are in the archive of the module, and it reads nothing else when it is imported and keeps nothing: no files of
settings, and no cache of fonts. FreeType and Qhull are those of the folder around it.
"""

import pathlib
import shutil
import sys

from edits import cutter, editor

root = pathlib.Path(sys.argv[1]).resolve()
VERSION = "3.10.9"
LIB = "lib/matplotlib/"
edit, cut = editor(root), cutter(root)

edit("meson.build",
     ("""run_command(
    # Also keep version in sync with pyproject.toml.
    find_program('python3', 'python', version: '>= 3.10'),
    '-m', 'setuptools_scm', check: true).stdout().strip()""", f"'{VERSION}'"),
     ("'b_lto=true'", "'b_lto=false'"))
(root / "extern/meson.build").write_text(f"""subdir('agg24-svn')
freetype_dep = declare_dependency(
  compile_args: '-I{root.parent}/include', link_args: '{root.parent}/lib/libfreetype.a')
qhull_dep = declare_dependency(
  compile_args: '-I{root.parent}/include', link_args: '{root.parent}/lib/libqhull_r.a')
""")
edit("src/meson.build", ("freetype_dep.type_name() == 'internal' ? 'local' : 'system'", "'local'"))
# There is no window system.
cut("src/meson.build", "  '_tkagg': {", "  '_tri': {", "")
# The sizes of arrays have 64 bits: see pybind11.py.
edit("src/mplutils.h", ("template <typename T, py::ssize_t ND>", "template <typename T, long long ND>"))
edit("src/_image_wrapper.cpp",
     ("object& transform, const py::ssize_t *dims)", "object& transform, const long long *dims)"))

# Constructors of static variables run when the program starts, before there is a Python.
edit("src/_enums.h",
     ("    auto enums = ", "    auto waiting = std::vector<std::function<void()>>{};\n    auto enums = "),
     ("      for (auto& [py_name, spec]: enums) {", """      for (auto& declare: waiting) { declare(); }
      for (auto& [py_name, spec]: enums) {"""),
     ("        [](auto args) { \\\n", "        [](auto args) { waiting.push_back([args] { \\\n"),
     ("          return 0; \\\n        } (std::vector", "          }); return 0; \\\n        } (std::vector"),
     ("#include <pybind11/pybind11.h>\n", "#include <functional>\n#include <pybind11/pybind11.h>\n"))

# What it reads is in the archive of the module.
edit("src/ft2font_wrapper.cpp",
     ('py::module_::import("io").attr("open")', 'py::module_::import("_stdlib").attr("open")'))
edit(LIB + "__init__.py",
     ("import atexit\n", "import _stdlib\nimport atexit\n"),
     ("        with open(fname, encoding='utf-8') as f:", "        with _stdlib.open(fname, encoding='utf-8') as f:"))
cut(LIB + "__init__.py", "    def gen_candidates():\n", "# rcParams deprecated and automatically",
    "    return os.path.join(get_data_path(), 'matplotlibrc')\n\n\n")
cut(LIB + "__init__.py", "    configdir = os.environ.get('MPLCONFIGDIR')\n", "@_logged_cached('CONFIGDIR=%s')",
    "    return os.environ.get('MPLCONFIGDIR') or '/tmp/matplotlib'\n\n\n")
edit(LIB + "style/core.py",
     ("import contextlib\n", "import _stdlib\nimport contextlib\n"),
     ('    for path in Path(style_dir).glob(f"*.{STYLE_EXTENSION}"):',
      '''    inside = [Path(_stdlib.PATH, name) for name in _stdlib.FILES if name.endswith(STYLE_EXTENSION)]
    inside = [path for path in inside if str(path.parent) == style_dir]
    for path in inside or Path(style_dir).glob(f"*.{STYLE_EXTENSION}"):'''))
edit(LIB + "font_manager.py",
     ("import dataclasses\n", "import _stdlib\nimport dataclasses\n"),
     ("    with open(filename) as fh:\n", "    with _stdlib.open(filename) as fh:\n"),
     ('            with open(path, "rb") as fh:\n', '            with _stdlib.open(path, "rb") as fh:\n'),
     ("        if not os.path.isfile(result):",
      "        if not result.startswith(_stdlib.PATH) and not os.path.isfile(result):"))
# The list of fonts is that of Matplotlib itself, which would need a second to make it.
cut(LIB + "font_manager.py", "    fm_path = Path(\n        mpl.get_cachedir()", "fontManager = _load_fontmanager()",
    "    return json_load(cbook._get_data_path('fonts.json'))\n\n\n")
shutil.copy(pathlib.Path(__file__).with_name("fonts.json"), root / LIB / "mpl-data/fonts.json")
edit(LIB + "mpl-data/meson.build",
     ("  'kpsewhich.lua',", "  'fonts.json',"),
     ("['fonts', 'images', 'plot_directive', 'sample_data', 'stylelib']", "['fonts', 'stylelib']"))
edit(LIB + "_mathtext.py",
     ("import abc\n", "import _stdlib\nimport abc\n"),
     ("and os.path.exists(basename):",
      "and (\n                basename.startswith(_stdlib.PATH) or os.path.exists(basename)):"))
edit(LIB + "backends/_backend_pdf_ps.py",
     ("from io import BytesIO\n", "import _stdlib\nfrom io import BytesIO\n"),
     ('    with open(fname, "rb") as fh:\n', '    with _stdlib.open(fname, "rb") as fh:\n'),
     ("subset.load_font(fontfile, options)", "subset.load_font(_stdlib.open(fontfile, 'rb'), options)"))
edit(LIB + "backends/backend_pdf.py",
     ("import codecs\n", "import _stdlib\nimport codecs\n"),
     ("        with open(filename, 'rb') as fh:\n            font = AFM(fh)",
      "        with _stdlib.open(filename, 'rb') as fh:\n            font = AFM(fh)"),
     ("os.stat(filename).st_size", "0"))
edit(LIB + "backends/backend_ps.py",
     ("import bisect\n", "import _stdlib\nimport bisect\n"),
     ("fontTools.ttLib.TTFont(font_path, **kw)", "fontTools.ttLib.TTFont(_stdlib.open(font_path, 'rb'), **kw)"),
     ("os.stat(font_path).st_size", "0"))

# Figures are shown as in a notebook: by pyplot.show, as the last value, and at the end of the code. So are those that
# are saved to files, so that a model sees what it has saved.
edit(LIB + "_pylab_helpers.py",
     ("import atexit\n", ""),
     ("\n\natexit.register(Gcf.destroy_all)\n", '''


def show_all():
    """Shows the figures that have changed since they were shown, and closes all."""
    for manager in Gcf.get_all_fig_managers():
        manager.canvas.figure._show()
    Gcf.destroy_all()
'''))
cut(LIB + "backend_bases.py",
    "        # This should be overridden in GUI backends.\n        if sys.platform == \"linux\"",
    "    def destroy(self):\n        pass\n", "        self.canvas.figure._show()\n\n")
edit(LIB + "backend_bases.py",
     ("        if cls.mainloop is None:\n            return\n", '''        if cls.mainloop is None:
            if block is not False:
                Gcf.destroy_all()
            return
'''))
edit(LIB + "figure.py",
     ("from contextlib import ExitStack\n",
      "from contextlib import ExitStack\nimport io\nimport math\nimport os\nimport struct\nimport PIL.Image\n"),
     ("            self.canvas.print_figure(fname, **kwargs)\n",
      '''            unchanged = self._shown and not self.stale
            self.canvas.print_figure(fname, **kwargs)
        if unchanged:
            self.stale = False
        elif isinstance(fname, (str, os.PathLike)):
            self._show(fname)
'''),
     ("    # TODO: I'd like to dynamically add the _repr_html_ method\n",
      '''    _shown = False  # since it was made; what has changed since is stale

    def _show(self, saved=None):
        """Shows the figure, if there is something in it that was not shown, as in the file if it can be."""
        if (self.stale or not self._shown) and len(self.get_children()) > 1:
            from IPython.display import Image, display
            display(Image(self._content(saved) or self._repr_png_()))

    def _content(self, name):
        """Returns the content of a file to which the figure was saved, or None if it cannot be shown."""
        if not str(name).endswith(".png"):
            return None
        with open(name, "rb") as file:
            data = file.read(1 << 20)
            more = file.read(1)
        if more or not data.startswith(b"\\x89PNG") or max(struct.unpack(">II", data[16:24])) > 2000:
            return None
        self._shown, self.stale = True, False
        return data

    def _repr_png_(self):
        """Returns the picture that a notebook shows: of all that is drawn, its sides usually 2000 pixels at most."""
        data = io.BytesIO()
        # With less than 10 pixels to an inch, text cannot be drawn.
        dpi = min(self.dpi, max(2000 / max(*self.get_size_inches(), 1), 10))
        if dpi == self.dpi and hasattr(self.canvas, "buffer_rgba"):
            # If nothing lies outside of the figure, it need not be drawn twice.
            self.canvas.draw()
            box = self.get_tightbbox()
            size = self.get_size_inches()
            if 0 <= box.x0 < box.x1 <= size[0] and 0 <= box.y0 < box.y1 <= size[1]:
                box = box.padded(mpl.rcParams["savefig.pad_inches"])
                pixels = np.asarray(self.canvas.buffer_rgba())
                left, right = max(math.floor(box.x0 * dpi), 0), math.ceil(box.x1 * dpi)
                top, bottom = (max(len(pixels) - math.ceil(y * dpi), 0) for y in (box.y1, box.y0))
                PIL.Image.fromarray(pixels[top:bottom, left:right]).save(data, "png", compress_level=4)
                self._shown, self.stale = True, False
                return data.getvalue()
        with mpl.rc_context({"savefig.transparent": False}):
            self.savefig(data, format="png", dpi=dpi, facecolor=self.get_facecolor(),
                         edgecolor=self.get_edgecolor(), bbox_inches="tight")
        self._shown, self.stale = True, False
        return data.getvalue()

    # TODO: I'd like to dynamically add the _repr_html_ method
'''))

# A chart that pyplot saves is drawn once: then its canvas shows it as it was before only if somebody looks.
edit(LIB + "pyplot.py",
     ("    fig.canvas.draw_idle()  # Need this if 'transparent=True', to reset colors.\n",
      "    fig.canvas._outdated = True  # with the colors and the resolution of the file\n"))
edit(LIB + "backends/backend_agg.py",
     ("    _lastKey = None  # Overwritten per-instance on the first draw.\n",
      """    _lastKey = None  # Overwritten per-instance on the first draw.
    _outdated = False  # it is to be drawn before its pixels are read

    def _update(self):
        if self._outdated:
            self.draw()
"""),
     ("        # docstring inherited\n        self.renderer = self.get_renderer()\n",
      "        # docstring inherited\n        self._outdated = False\n        self.renderer = self.get_renderer()\n"),
     ("        renderer = self.get_renderer()\n        return renderer.copy_from_bbox(bbox)",
      "        self._update()\n        return self.get_renderer().copy_from_bbox(bbox)"),
     *((f"        return self.renderer.{name}()", f"        self._update()\n        return self.renderer.{name}()")
       for name in ("tostring_argb", "buffer_rgba")))
# Each tick has copies of four markers, which are immutable but for what is copied here.
edit(LIB + "markers.py",
     ("            self.__dict__ = copy.deepcopy(marker.__dict__)\n",
      """            self.__dict__ = {**marker.__dict__, "_user_transform": copy.deepcopy(marker._user_transform)}
            self._marker_function = getattr(self, marker._marker_function.__name__)
"""))
# Pictures of charts compressed at level 6 take as much room and a third longer.
edit(LIB + "image.py",
     ('        pil_kwargs.setdefault("format", format)\n',
      """        if format == "png":
            pil_kwargs.setdefault("compress_level", 4)
        pil_kwargs.setdefault("format", format)
"""))

# The first figure takes three times as long as the next ones. toolrun imports this for images of memory.
(root / LIB / "_drawn.py").write_text('''"""Has drawn a figure, so that fonts and what texts need are there."""

import io

from .figure import Figure

figure = Figure()
axes = figure.add_subplot(title="$x^2$", xlabel="x", ylabel="y")
axes.plot([1, 3, 2], label="a")
axes.legend()
figure.savefig(io.BytesIO(), format="png", bbox_inches="tight")
del figure, axes
''')
edit(LIB + "meson.build", ("  'animation.py',\n", "  '_drawn.py',\n  'animation.py',\n"))
