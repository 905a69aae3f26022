package python_test

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// needFigures skips a test where the build of Python has no Matplotlib: see contrib/python/build.
func needFigures(t testing.TB) {
	needPython(t)
	if !slices.Contains(interpreter.Packages(), "matplotlib") {
		t.Skip("this build of Python has no Matplotlib")
	}
}

const plt = "import matplotlib.pyplot as plt\nimport numpy as np\nimport pandas as pd\nfrom PIL import Image\n"

// TestFigures draws what people draw, and looks at what is shown of it.
func TestFigures(t *testing.T) {
	needFigures(t)
	const first = "[picture 1: PNG, "
	for name, test := range map[string]struct {
		code, text, console string
		pictures            int
	}{
		"shown":       {"plt.plot([1, 3, 2])\nplt.show()", "", first, 1},
		"the result":  {"fig, ax = plt.subplots()\nax.plot([1, 3, 2])\nfig", first, "", 1},
		"at the end":  {"x = plt.plot([1, 3, 2])", "", first, 1},
		"shown twice": {"plt.plot([1, 3, 2])\nplt.show()\nplt.bar(['a', 'b'], [1, 2])\nplt.show()", "", first, 2},
		"two at once": {"plt.figure()\nplt.plot([1])\nplt.figure()\nplt.plot([2])\nplt.show()", "", first, 2},
		"saved": {"plt.plot([1, 3, 2])\nplt.savefig('a.png')\nplt.close()", "", "[picture 1: PNG, 640 by 480 pixels]",
			1},
		"saved, large": {"plt.plot([1, 3, 2])\nplt.savefig('a.png', dpi=500)\nplt.close()\n" +
			"Image.open('a.png').size", "(3200, 2400)", first, 1},
		"saved as another type": {"plt.plot([1])\nplt.savefig('a.png', format='svg')\nplt.close()", "", first, 1},
		"saved, shown":          {"plt.plot([1, 3, 2])\nplt.savefig('a.png')\nplt.show()", "", first, 1},
		"saved, changed": {"plt.plot([1, 3, 2])\nplt.savefig('a.png')\nplt.title('x')\nplt.show()", "",
			first, 2},
		"saved in memory": {"import io\nb = io.BytesIO()\nplt.plot([1, 3, 2])\nplt.savefig(b)\nplt.close()\n" +
			"b.getvalue()[:4]", `b'\x89PNG'`, "", 0},
		"closed":  {"plt.plot([1, 3, 2])\nplt.close('all')\n1", "1", "", 0},
		"empty":   {"plt.figure()\nplt.show()\n1", "1", "", 0},
		"another": {"import matplotlib\nmatplotlib.use('svg')\nplt.plot([1])\nplt.show()", "", first, 1},
		"vectors": {"plt.plot([1, 3, 2])\nplt.title('Größe $x^2$')\nplt.savefig('a.svg')\nplt.savefig('a.pdf')\n" +
			"plt.savefig('a.ps')\nplt.rc('pdf', fonttype=42)\nplt.rc('ps', fonttype=42)\nplt.savefig('a.pdf')\n" +
			"plt.savefig('a.eps')\nplt.close()\n" +
			"open('a.svg').read(5), open('a.pdf', 'rb').read(5), open('a.ps').read(4)",
			"('<?xml', b'%PDF-', '%!PS')", first, 1},
		"3D": {"ax = plt.figure().add_subplot(projection='3d')\nx = np.linspace(0, 6, 20)\n" +
			"ax.plot_surface(*np.meshgrid(x, x), np.outer(np.sin(x), x), cmap='viridis')\nNone", "", first, 1},
		"kinds": {"fig, axes = plt.subplots(3, 3, figsize=(9, 9), layout='constrained')\na = axes.flat\n" +
			"x = np.linspace(0, 6, 50)\na[0].plot(x, np.sin(x), label=r'$\\sin x$')\na[0].legend()\n" +
			"a[1].bar(['a', 'b'], [1, 2])\na[2].hist(np.random.randn(100))\na[3].scatter(x, x**2, c=x)\n" +
			"a[4].contourf(np.outer(x, x))\nfig.colorbar(a[5].imshow(np.outer(x, x)))\n" +
			"a[6].boxplot([[1, 2, 3], [2, 3, 9]])\na[7].pie([1, 2])\na[8].tricontour(x, np.cos(x), x)\nfig",
			first, "", 1},
		"pandas": {"df = pd.DataFrame({'a': [1, 2], 'b': [3, 1]}, index=pd.to_datetime(['2024-01-01', " +
			"'2024-02-01']))\ndf.plot()\nNone", "", first, 1},
		"styles": {"plt.style.use('ggplot')\nwith plt.xkcd(): pass\n'dark_background' in plt.style.available, " +
			"len(plt.style.available) > 25", "(True, True)", "", 0},
		"a font": {"import matplotlib.font_manager as f\nfrom PIL import ImageFont\n" +
			"ImageFont.truetype(f.findfont('DejaVu Sans'), 20).getname()", "('DejaVu Sans', 'Book')", "", 0},
		"wrong text": {"plt.title('$\\\\x{$')\nplt.show()", "", "", -1},
		"large":      {"plt.figure(figsize=(90, 30))\nplt.plot([1, 2])\nplt.show()", "", first, 1},
		"an image":   {"Image.new('RGB', (30, 20), 'red')", "[picture 1: PNG, 30 by 20 pixels]", "", 1},
		"an image that is shown": {"Image.new('RGB', (30, 20), 'red').show()", "",
			"[picture 1: PNG, 30 by 20 pixels]", 1},
		"kinds of images": {"import io\nx = Image.fromarray(np.arange(64 * 64, dtype=np.uint8).reshape(64, 64))\n" +
			"r = []\nfor kind in 'PNG', 'JPEG', 'GIF', 'BMP', 'TIFF':\n    b = io.BytesIO()\n    x.save(b, kind)\n" +
			"    y = Image.open(b)\n    y.load()\n    r.append((y.format, y.size))\nlen(set(r)), r[1], " +
			"len(x.convert('RGB').split()), x.getextrema(), len(x.getprojection()), x.quantize(4).im.getpalettemode()",
			"(5, ('JPEG', (64, 64)), 3, (0, 255), 2, 'RGB')", "", 0},
		"text in an image": {"from PIL import ImageDraw\nx = Image.new('L', (80, 30))\n" +
			"ImageDraw.Draw(x).text((5, 5), 'hello', fill=255)\nx.getbbox() is not None", "True", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			files := afero.NewMemMapFs()
			result, err := tryRun(t, plt+test.code, python.RunOptions{Files: files})
			if test.pictures < 0 {
				require.ErrorContains(t, err, "ParseFatalException")
				return
			}
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(result.Text, test.text), result.Text)
			require.True(t, strings.HasPrefix(lines(result), test.console), lines(result))
			require.Len(t, result.Pictures, test.pictures)
			for _, p := range result.Pictures {
				drawn, err := png.Decode(bytes.NewReader(p.Data))
				require.NoError(t, err)
				require.LessOrEqual(t, max(drawn.Bounds().Dx(), drawn.Bounds().Dy()), 2100)
			}
			require.NoError(t, afero.Walk(files, "/", func(path string, _ fs.FileInfo, err error) error {
				require.True(t, path == "/" || strings.HasPrefix(path, "/a."), path)
				return err
			}))
		})
	}
}

// TestFiguresLeaveNothing changes what Matplotlib and Pillow keep in modules, in runs that start from the same image.
func TestFiguresLeaveNothing(t *testing.T) {
	needFigures(t)
	const look = "import matplotlib, PIL.Image\nlook = lambda: (plt.get_fignums(), plt.rcParams['lines.linewidth'], " +
		"plt.rcParams['font.size'], matplotlib.font_manager._get_font.cache_info().currsize, " +
		"plt.style.library['ggplot']['axes.facecolor'], plt.get_backend(), Image.MAX_IMAGE_PIXELS, " +
		"plt.get_cmap('viridis')(0), 'own' in matplotlib.colormaps)\nlook()"
	code := plt + look
	want := run(t, code).Text
	run(t, code)
	for range 3 {
		run(t, plt+look+"\nplt.rcParams.update({'lines.linewidth': 9, 'font.size': 3})\n"+
			"plt.style.library['ggplot'].clear()\nplt.plot([1])\nImage.MAX_IMAGE_PIXELS = None\n"+
			"plt.switch_backend('svg')\n"+
			"matplotlib.colormaps.register(plt.get_cmap('hot'), name='own')\nplt.figure()\nplt.text(0, 0, '$x$')")
		require.Equal(t, want, run(t, code).Text)
	}
}

// TestFiguresOfASession shows each figure once, at the end of the run that drew it.
func TestFiguresOfASession(t *testing.T) {
	needFigures(t)
	first := run(t, plt+"x = plt.plot([1, 2])", python.RunOptions{Session: true})
	require.Len(t, first.Pictures, 1)
	second := run(t, "len(plt.get_fignums())", python.RunOptions{Session: true, State: first.State})
	require.Empty(t, second.Pictures)
	require.Equal(t, "0", second.Text)
	require.Len(t, run(t, "y = plt.plot([2, 1])", python.RunOptions{Session: true, State: second.State}).Pictures, 1)
}

// TestHostilePictures wants too much of code in C and C++ that cannot be interrupted.
func TestHostilePictures(t *testing.T) {
	needFigures(t)
	bomb := func(width, height int) string {
		return fmt.Sprintf("import io, struct, zlib\n"+
			"def chunk(kind, data):\n    return struct.pack('>I', len(data)) + "+
			"kind + data + struct.pack('>I', zlib.crc32(kind + data))\nb = b'\\x89PNG\\r\\n\\x1a\\n' + "+
			"chunk(b'IHDR', struct.pack('>IIBBBBB', %d, %d, 8, 2, 0, 0, 0)) + "+
			"chunk(b'IDAT', zlib.compress(bytes(10**6))) + chunk(b'IEND', b'')\n", width, height)
	}
	for name, test := range map[string]struct {
		code string
		want any // a limit, the type of an exception, or nil if the run may end in any way
	}{
		"an image bomb": {bomb(60000, 60000) + "Image.open(io.BytesIO(b))", "PIL.Image.DecompressionBombError"},
		"an image bomb, allowed": {bomb(60000, 60000) +
			"Image.MAX_IMAGE_PIXELS = None\nImage.open(io.BytesIO(b)).load()", nil},
		"large images": {"x = []\nwhile True: x.append(Image.new('RGB', (4000, 4000)))", sandbox.LimitMemory},
		"a wide filter": {"from PIL import ImageFilter\nx = Image.new('L', (3000, 3000))\nwhile True: " +
			"x.filter(ImageFilter.MedianFilter(51))", sandbox.LimitTime},
		"a large resize": {"Image.new('L', (9, 9)).resize((2**31 - 1, 2**31 - 1))", nil},
		"compressing": {"import io\nx = Image.effect_noise((2000, 2000), 50)\nwhile True: " +
			"x.save(io.BytesIO(), 'JPEG')", sandbox.LimitTime},
		"a large figure":  {"plt.figure(figsize=(100, 100), dpi=10000)\nplt.plot([1])\nplt.savefig('a.png')", nil},
		"many points":     {"while True: plt.plot(np.random.rand(10**6)), plt.gcf().canvas.draw()", nil},
		"many contours":   {"z = np.random.rand(2000, 2000)\nwhile True: plt.contour(z, levels=1000)", nil},
		"many triangles":  {"while True: plt.tricontour(*np.random.rand(3, 10**6))", nil},
		"nested formulas": {"plt.title('$' + '\\\\sqrt{' * 5000 + '}' * 5000 + '$')\nplt.savefig('a.png')", nil},
		"a font that is no font": {"import matplotlib.ft2font as f, io\nf.FT2Font(io.BytesIO(b'x' * 1000))",
			"RuntimeError"},
		"many figures": {"while True: plt.figure(), plt.plot([1])", nil},
	} {
		t.Run(name, func(t *testing.T) {
			limits := sandbox.Limits{Time: 2 * time.Second, Memory: 256 << 20}
			if _, raised := test.want.(string); raised || test.want == sandbox.LimitMemory {
				limits.Time = patience
			}
			result, err := tryRun(t, plt+test.code, python.RunOptions{Limits: limits})
			require.True(t, err == nil || python.IsScriptFailure(err), "%v", err)
			require.LessOrEqual(t, result.Usage.Memory, limits.Memory)
			switch want := test.want.(type) {
			case sandbox.Limit:
				limit, limited := errors.AsType[*sandbox.LimitError](err)
				require.True(t, limited, "%v", err)
				require.Equal(t, want, limit.Limit)
			case string:
				script, raised := errors.AsType[*python.ScriptError](err)
				require.True(t, raised, "%v", err)
				require.Equal(t, want, script.Type)
			}
			require.Equal(t, "42", run(t, "6 * 7").Text)
		})
	}
}
