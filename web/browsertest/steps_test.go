package browsertest

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// maxPicture is how large a picture of the documentation may be.
const maxPicture = 60 << 10

// picture keeps what is seen as a picture of docs/page.md, which -docs writes.
func (p *person) picture(name string) {
	p.t.Helper()
	p.run(evaluate(`document.querySelectorAll("#says .note").forEach((note) => note.remove())`))
	data, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	require.NoError(p.t, err)
	small := withPalette(p.t, data)
	require.Less(p.t, len(small), maxPicture)
	require.NoError(p.t, os.WriteFile(filepath.Join(screenshots, name+".png"), small, 0o644))
	file := filepath.Join("..", "..", "docs", name+".png")
	if *writeDocs {
		require.NoError(p.t, os.WriteFile(file, small, 0o644))
	}
	require.FileExists(p.t, file)
}

// withPalette makes a picture smaller: it keeps the most frequent colours.
func withPalette(t *testing.T, data []byte) []byte {
	from, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	bounds := from.Bounds()
	count := map[color.RGBA]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), bytes.Compare([]byte{a.R, a.G, a.B}, []byte{b.R, b.G, b.B}))
	})
	var palette color.Palette
	for _, c := range colours[:min(len(colours), 200)] {
		palette = append(palette, c)
	}
	to := image.NewPaletted(bounds, palette)
	draw.Draw(to, bounds, from, bounds.Min, draw.Src)
	var out bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to))
	return out.Bytes()
}

// TestFirstFiveMinutes does what docs/page.md says that a new user does.
func TestFirstFiveMinutes(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/plan.md": "# Plan\n\n- buy milk\n- call Ada\n"})
	p := s.visit()
	p.run(chromedp.EmulateViewport(960, 560), command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}}))
	p.click("notes")
	p.until(`location.pathname === "/files" && document.body.dataset.ready === "yes"`)

	p.click("Tools")
	p.until(`location.pathname === "/tools" && document.querySelector("#tool-memory")`)
	p.click("Memory") // the first of this name is the tool
	p.sees("Memory is off.")
	require.EqualValues(t, "tool_disabled", s.call("notes", "toolu_1", "memory",
		`{"command": "view", "path": "/memories"}`).Code)
	p.picture("page-tool-off")

	p.click("Run")
	p.until(`location.pathname === "/run" && document.querySelector("#code")`)
	p.run(evaluate(`document.querySelector("#code").rows = 6`))
	p.write("#code", "const plan = await fs.readFile(\"/plan.md\", \"utf8\")\nconsole.log(\"reading the "+
		"plan\")\nreturn plan.split(\"\\n\").filter((line) => line.startsWith(\"- \")).length\n")
	p.click("Run")
	p.until(`document.querySelector("[aria-label=Result]")?.textContent === "2"`)
	p.picture("page-run")

	s.call("notes", "toolu_2", "filesystem",
		`{"command": "str_replace", "path": "/plan.md", "old_str": "- call Ada", `+
			`"new_str": "- call Ada at 10\n- book a room"}`)
	p.click("Calls")
	p.until(`location.pathname === "/calls" && document.querySelector("[data-call=toolu_2]")`)
	p.run(evaluate(`document.querySelector("[data-call=toolu_2]").click()`))
	p.click("Show what changed in /plan.md")
	p.until(`document.querySelector(".diff .is")?.textContent.includes("at 10")`)
	p.run(evaluate(`scrollTo(0, document.body.scrollHeight)`))
	p.picture("page-changed")
	p.click("Undo toolu_2")
	p.sees("Undone: 1 change.")
	p.click("History")
	p.until(`location.pathname === "/history"`)
	p.sees("Undone: toolu_2")
	p.picture("page-undone")

	p.click("Tools")
	p.until(`location.pathname === "/tools" && document.querySelector("#tool-filesystem-ask")`)
	p.run(evaluate(`document.querySelector("#tool-filesystem-ask").focus()`), chromedp.KeyEvent(" "))
	p.sees("wait for approval")
	require.NotNil(t, s.call("notes", "toolu_3", "filesystem",
		`{"command": "str_replace", "path": "/plan.md", "old_str": "- buy milk", "new_str": "- buy oat milk"}`).Pending)
	p.click("Calls")
	p.sees("1 call waits for your approval")
	p.until(`document.querySelector(".diff .is")`)
	p.picture("page-approve")
	p.click("Approve filesystem")
	p.sees("Approved. The call goes on.")
	p.until(`fetch("/api/files/text?project=notes&path=/plan.md").then((r) => r.json()).then((file) => {
		window.plan = file.text; }) && window.plan?.includes("oat milk")`)
}
