package compare

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var patch = &command.Command{
	Name:     "patch",
	Operands: "[OPTION]... [ORIGFILE [PATCHFILE]]",
	Summary:  "Apply a diff, unified, context or normal, to files.",
	Options: []command.Option{
		{Short: 'p', Long: "strip", Arg: "NUM", Help: "strip NUM leading components from file names"},
		{Short: 'F', Long: "fuzz", Arg: "LINES", Help: "set the fuzz factor to LINES for inexact matching"},
		{Short: 'l', Long: "ignore-whitespace", Help: "ignore white space changes between patch and input"},
		{Short: 'c', Long: "context", Help: "(ignored)"},
		{Short: 'n', Long: "normal", Help: "(ignored)"},
		{Short: 'u', Long: "unified", Help: "(ignored)"},
		{Short: 'N', Long: "forward", Help: "ignore patches that appear reversed or already\n" +
			"applied"},
		{Short: 'R', Long: "reverse", Help: "assume patches were created with old and new files\n" +
			"swapped"},
		{Short: 'i', Long: "input", Arg: "PATCHFILE", Help: "read patch from PATCHFILE instead of stdin"},
		{Short: 'o', Long: "output", Arg: "FILE", Help: "output patched files to FILE"},
		{Short: 'r', Long: "reject-file", Arg: "FILE", Help: "output rejects to FILE"},
		{Short: 'E', Long: "remove-empty-files", Help: "remove output files that are empty after patching"},
		{Short: 't', Long: "batch", Help: "ask no questions; skip bad-Prereq patches; assume\n" +
			"reversed"},
		{Short: 'f', Long: "force", Help: "like -t, but ignore bad-Prereq patches, and assume\n" +
			"unreversed"},
		{Short: 's', Long: "quiet", Help: "work silently unless an error occurs"},
		{Long: "silent"},
		{Long: "verbose", Help: "(ignored)"},
		{Long: "dry-run", Help: "do not actually change any files; just print what\n" +
			"would happen"},
		{Short: 'd', Long: "directory", Arg: "DIR", Help: "change the working directory to DIR first"},
		{Long: "reject-format", Arg: "FORMAT", Help: "create 'context' or 'unified' rejects"},
		{Long: "binary", Help: "(ignored)"},
		{Long: "posix", Help: "(ignored)"},
		{Short: 'b', Long: "backup", Help: "back up the original contents of each file"},
		{Long: "backup-if-mismatch", Help: "back up if the patch does not match exactly (the\n" +
			"default)"},
		{Long: "no-backup-if-mismatch", Help: "back up mismatches only if otherwise requested"},
		{Short: 'B', Long: "prefix", Arg: "PREFIX", Help: "prepend PREFIX to backup file names"},
		{Short: 'z', Long: "suffix", Arg: "SUFFIX", Help: "append SUFFIX to backup file names"},
	},
	Notes: "Nobody is asked: questions have the answer no. There are no ed scripts, -D,\n" +
		"-V, -Y and --merge.",
	Trouble: 2,
	Run:     runPatch,
}

// A patcher applies a patch.
type patcher struct {
	c                           *command.Context
	out                         io.Writer // of messages
	strip, fuzz                 int
	reverse, quiet, dry         bool
	forward, force, batch       bool
	output, rejects, rejectKind string
	target                      string
	status                      int
}

func runPatch(c *command.Context) int {
	p := &patcher{
		c: c, out: c.Stdout, strip: -1, fuzz: 2, reverse: c.Has("reverse"), quiet: c.Has("quiet") || c.Has("silent"),
		dry: c.Has("dry-run"), forward: c.Has("forward"), force: c.Has("force"), batch: c.Has("batch"),
	}
	p.output, _ = c.Value("output")
	p.rejects, _ = c.Value("reject-file")
	p.rejectKind, _ = c.Value("reject-format")
	for name, to := range map[string]*int{"strip": &p.strip, "fuzz": &p.fuzz} {
		if value, ok := c.Value(name); ok {
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 {
				what := map[string]string{"strip": "strip count", "fuzz": "fuzz factor"}[name]
				return p.fatal("%s %s is not a number", what, value)
			}
			*to = n
		}
	}
	if len(c.Args) > 2 {
		return c.Usage("%s: extra operand", c.Args[2])
	}
	if dir, ok := c.Value("directory"); ok {
		info, err := c.Stat(dir)
		if err == nil && !info.IsDir() {
			err = fs.ErrInvalid
		}
		if err != nil {
			return p.fatal("Can't change to directory %s : %s", dir, command.Text(err))
		}
		c.Dir = c.Path(dir)
	}
	if p.output == "-" {
		p.out = c.Stderr
	}
	name := "-"
	if value, ok := c.Value("input"); ok {
		name = value
	}
	if len(c.Args) > 0 {
		p.target = c.Args[0]
	}
	if len(c.Args) > 1 {
		name = c.Args[1]
	}
	in, err := c.Input(name)
	if err != nil {
		return p.fatal("Can't open patch file %s : %s", name, command.Text(err))
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return p.fatal("read error : %s", command.Text(err))
	}
	return p.apply(data)
}

// fatal reports an error that ends the command.
func (p *patcher) fatal(format string, args ...any) int {
	p.c.Errorf("**** "+format, args...)
	return 2
}

func (p *patcher) say(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

// apply applies the patches of all files.
func (p *patcher) apply(data []byte) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	r := &patchReader{lines: lines}
	some := false
	for p.c.Context().Err() == nil {
		f, err := r.next()
		if f == nil {
			if !some && len(data) > 0 {
				return p.fatal("Only garbage was found in the patch input.")
			}
			return p.status
		}
		some = true
		if f.crs {
			p.say("(Stripping trailing CRs from patch; use --binary to disable.)\n")
		}
		if err != nil {
			if name, _, ok := p.choose(f); ok && !p.quiet {
				p.say("%s file %s\n", p.verb(), command.QuoteOdd(name))
			}
			return p.fatal("%s", err)
		}
		if fatal := p.file(f); fatal != 0 {
			return fatal
		}
	}
	return 2
}

func (p *patcher) verb() string {
	if p.dry {
		return "checking"
	}
	return "patching"
}

// stripped removes the first components of a name, as -p says.
func (p *patcher) stripped(name string, strip int) string {
	if name == "" || name == "/dev/null" {
		return ""
	}
	if strip < 0 {
		return path.Base(name)
	}
	for range strip {
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			return ""
		}
		name = strings.TrimLeft(rest, "/")
	}
	return name
}

// safe says whether a name is within the working directory, which names in patches must be.
func safe(name string) bool {
	return !strings.HasPrefix(name, "/") && name != ".." && !strings.HasPrefix(path.Clean(name), "../")
}

// choose returns the name of the file to patch, and the name that it gets.
func (p *patcher) choose(f *filePatch) (name, to string, ok bool) {
	if p.target != "" {
		return p.target, p.target, true
	}
	if f.moved[1] != "" {
		from, to := p.stripped(f.moved[0], p.strip-1), p.stripped(f.moved[1], p.strip-1)
		if p.strip < 0 {
			from, to = f.moved[0], f.moved[1]
		}
		if p.reverse {
			from, to = to, from
		}
		if _, err := p.c.Stat(from); err == nil && safe(from) && safe(to) {
			return from, to, true
		}
		return "", "", false
	}
	best := ""
	better := func(a, b string) bool {
		for _, measure := range []func(string) int{
			func(s string) int { return strings.Count(path.Clean(s), "/") },
			func(s string) int { return len(path.Base(s)) },
			func(s string) int { return len(s) },
		} {
			if m, n := measure(a), measure(b); m != n {
				return m < n
			}
		}
		return false
	}
	for i, name := range f.names {
		name = p.stripped(name, p.strip)
		if name == "" || !safe(name) || i == 2 && f.names[0]+f.names[1] != "" {
			continue
		}
		if _, err := p.c.Stat(name); err == nil && (best == "" || better(name, best)) {
			best = name
		}
	}
	if best != "" {
		return best, best, true
	}
	// A file that is not there can be made, or be missed.
	for side, absent := range f.absent {
		if !absent && !p.creates(f, side) {
			continue
		}
		for _, i := range []int{1 - side, side, 2} {
			if name := p.stripped(f.names[i], p.strip); name != "" && safe(name) {
				return name, name, true
			}
		}
	}
	return "", "", false
}

// creates says whether the first hunk begins with an empty file on one side.
func (p *patcher) creates(f *filePatch, side int) bool {
	if len(f.hunks) != 1 || f.style == "normal" {
		return false
	}
	h := f.hunks[0]
	before, after := h.counts()
	return side == 0 && before == 0 && h.at == 1 || side == 1 && after == 0 && h.newAt == 1
}

// answer is what becomes of a question about a patch that seems to be reversed.
type answer int

const (
	skip answer = iota
	reverse
	applyAnyway
)

// ask says that a patch seems to be reversed, and what is done about it.
func (p *patcher) ask(format string, args ...any) answer {
	p.say(format, args...)
	word := "Assume"
	if p.reverse {
		word = "Ignore"
	}
	switch {
	case p.forward:
		p.say("  Skipping patch.\n")
		return skip
	case p.force:
		p.say("  Applying it anyway.\n")
		return applyAnyway
	case p.batch:
		p.say("  %s -R.\n", strings.TrimSuffix(word, "e")+"ing")
		return reverse
	}
	p.say("  %s -R? [n] \nApply anyway? [n] \n", word)
	if !p.quiet {
		p.say("Skipping patch.\n")
	}
	return skip
}

// file applies the patch of one file. It returns a status that ends the command, or 0.
func (p *patcher) file(f *filePatch) int {
	name, to, ok := p.choose(f)
	plural := func(n int) string {
		if n == 1 {
			return "hunk"
		}
		return "hunks"
	}
	if !ok {
		p.notFound(f)
		p.status = max(p.status, 1)
		if len(f.hunks) > 0 {
			p.say("%d out of %d %s ignored\n", len(f.hunks), len(f.hunks), plural(len(f.hunks)))
		}
		return 0
	}
	reversed := p.reverse
	info, err := p.c.Stat(name)
	a := &applier{p: p, f: f, reverse: reversed}
	skipped := false
	shown := command.QuoteOdd(to)
	if p.output != "" {
		shown = command.QuoteOdd(p.output)
	}
	switch {
	case err == nil && !info.Mode().IsRegular() && !info.IsDir():
	case err == nil && info.IsDir():
		p.say("File %s is not a regular file -- refusing to patch\n", command.QuoteOdd(name))
		skipped = true
	case err == nil:
		content, err := p.c.ReadFile(name)
		if err != nil {
			return p.fatal("Can't open file %s : %s", name, command.Text(err))
		}
		a.input = bytes.SplitAfter(content, []byte("\n"))
		if len(a.input[len(a.input)-1]) == 0 {
			a.input = a.input[:len(a.input)-1]
		}
	}
	exists := err == nil
	before, after := 0, 1
	if reversed {
		before, after = 1, 0
	}
	doubt := ""
	switch {
	case skipped || f.moved[1] != "":
	case exists && len(a.input) > 0 && f.absent[before]:
		doubt = fmt.Sprintf("create the file %s,\nwhich already exists!", command.QuoteOdd(name))
	case exists && len(a.input) == 0 && p.creates(f, after) && !f.absent[before]:
		doubt = fmt.Sprintf("empty out the file %s,\nwhich is already empty!", command.QuoteOdd(name))
	case !exists && f.absent[after] && !f.absent[before]:
		doubt = fmt.Sprintf("delete the file %s,\nwhich does not exist!", command.QuoteOdd(name))
	}
	quietly := false // there is no reject file
	if doubt != "" {
		when := ""
		if reversed {
			when = ", when reversed,"
		}
		switch p.ask("The next patch%s would %s", when, doubt) {
		case skip:
			skipped, quietly = true, true
		case reverse:
			a.reverse = !a.reverse
			before, after = after, before
			a.asked = true
		case applyAnyway:
			a.asked = true
		}
	}
	if !skipped && !p.quiet {
		note := ""
		switch {
		case p.output != "":
			note = fmt.Sprintf(" (read from %s)", command.QuoteOdd(name))
		case name != to && f.copied:
			note = fmt.Sprintf(" (copied from %s)", command.QuoteOdd(name))
		case name != to:
			note = fmt.Sprintf(" (renamed from %s)", command.QuoteOdd(name))
		}
		p.say("%s file %s%s\n", p.verb(), shown, note)
	}
	if skipped {
		a.rejected, a.skipped = f.hunks, true
	} else {
		a.run()
	}
	if !a.skipped && !p.dry {
		if status := p.store(f, a, name, to, exists, f.absent[after]); status != 0 {
			return status
		}
	}
	if len(a.rejected) > 0 {
		p.status = max(p.status, 1)
		what := "FAILED"
		if a.skipped {
			what = "ignored"
		}
		p.say("%d out of %d %s %s", len(a.rejected), len(f.hunks), plural(len(f.hunks)), what)
		if !quietly && !p.dry && p.rejects != "-" {
			return p.reject(f, a, to)
		}
		p.say("\n")
	}
	return 0
}

// notFound says that there is no file to patch.
func (p *patcher) notFound(f *filePatch) {
	p.say("can't find file to patch at input line %d\n", f.line)
	which := "used the wrong"
	if p.strip < 0 {
		which = "should have used the"
	}
	p.say("Perhaps you %s -p or --strip option?\n", which)
	if len(f.text) > 0 {
		p.say("The text leading up to this was:\n--------------------------\n")
		for _, line := range f.text {
			p.say("|%s\n", line)
		}
		p.say("--------------------------\n")
	}
	if p.force || p.batch {
		p.say("No file to patch.  Skipping patch.\n")
		return
	}
	p.say("File to patch: \nSkip this patch? [y] \nSkipping patch.\n")
}

// store writes the result, and what was there before into a backup.
func (p *patcher) store(f *filePatch, a *applier, name, to string, exists, gone bool) int {
	c := p.c
	if p.output != "" {
		if p.output == "-" {
			_, _ = c.Stdout.Write(a.output)
			return 0
		}
		if err := c.WriteFile(p.output, a.output); err != nil {
			return p.fatal("Can't create file %s : %s", p.output, command.Text(err))
		}
		return 0
	}
	if exists && (c.Has("backup") || a.mismatch && !c.Has("no-backup-if-mismatch")) {
		prefix, _ := c.Value("prefix")
		suffix, given := c.Value("suffix")
		if !given && prefix == "" {
			suffix = ".orig"
		}
		backup := prefix + to + suffix
		if err := c.WriteFile(backup, bytes.Join(a.input, nil)); err != nil {
			return p.fatal("Can't create file %s : %s", backup, command.Text(err))
		}
	}
	if len(a.output) == 0 && exists && (gone || c.Has("remove-empty-files")) {
		if err := c.Remove(name); err != nil {
			return p.fatal("Can't remove file %s : %s", name, command.Text(err))
		}
		for dir := path.Dir(name); dir != "." && dir != "/" && !strings.HasPrefix(dir, ".."); dir = path.Dir(dir) {
			if c.Rmdir(dir) != nil {
				break
			}
		}
		return 0
	}
	if gone && len(a.output) > 0 {
		p.say("Not deleting file %s as content differs from patch\n", command.QuoteOdd(name))
		p.status = max(p.status, 1)
	}
	if len(a.rejected) == len(f.hunks) && len(f.hunks) > 0 {
		return 0
	}
	if dir := path.Dir(to); dir != "." {
		if err := c.MkdirAll(dir, 0o777); err != nil {
			return p.fatal("Can't create directory %s : %s", dir, command.Text(err))
		}
	}
	if err := c.WriteFile(to, a.output); err != nil {
		return p.fatal("Can't create file %s : %s", to, command.Text(err))
	}
	if mode, err := strconv.ParseUint(f.mode, 8, 32); err == nil && f.mode != "" && !a.reverse {
		_ = c.Chmod(to, os.FileMode(mode)&os.ModePerm)
	}
	if name != to && !f.copied {
		_ = c.Remove(name)
	}
	return 0
}

// reject writes the hunks that could not be applied.
func (p *patcher) reject(f *filePatch, a *applier, name string) int {
	file := p.rejects
	if file == "" {
		if file = name + ".rej"; p.output != "" {
			file = p.output + ".rej"
		}
	}
	p.say(" -- saving rejects to file %s\n", command.QuoteOdd(file))
	unified := f.style == "unified" && p.rejectKind != "context" || p.rejectKind == "unified"
	marks := [2]string{"***", "---"}
	if unified {
		marks = [2]string{"---", "+++"}
	}
	var b bytes.Buffer
	for i, mark := range marks {
		header := f.headers[i]
		if a.reverse {
			header = f.headers[1-i]
		}
		if header == "" {
			header = "/dev/null"
		}
		fmt.Fprintf(&b, "%s %s\n", mark, header)
	}
	for _, h := range a.rejected {
		if unified {
			h.unified(&b)
		} else {
			h.context(&b, f.style == "normal")
		}
	}
	if err := p.c.WriteFile(file, b.Bytes()); err != nil {
		return p.fatal("Can't create file %s : %s", file, command.Text(err))
	}
	return 0
}

func put(b *bytes.Buffer, mark string, text []byte) {
	b.WriteString(mark)
	b.Write(text)
	if !bytes.HasSuffix(text, []byte("\n")) {
		b.WriteString("\n\\ No newline at end of file\n")
	}
}

// unified writes a hunk in unified style.
func (h hunk) unified(b *bytes.Buffer) {
	before, after := h.counts()
	span := func(at, n int) string {
		switch n {
		case 0:
			return fmt.Sprintf("%d,0", at-1)
		case 1:
			return strconv.Itoa(at)
		}
		return fmt.Sprintf("%d,%d", at, n)
	}
	fmt.Fprintf(b, "@@ -%s +%s @@%s\n", span(h.at, before), span(h.newAt, after), h.function)
	for _, l := range h.lines {
		put(b, string(l.op), l.text)
	}
}

// context writes a hunk in context style. Those of normal diffs have no lines that are changed, only removed and added.
func (h hunk) context(b *bytes.Buffer, normal bool) {
	before, after := h.counts()
	span := func(at, n int) string {
		switch n {
		case 0:
			return "0"
		case 1:
			return strconv.Itoa(at)
		}
		return fmt.Sprintf("%d,%d", at, at+n-1)
	}
	stars, minuses := " ****", " ----"
	if normal {
		stars, minuses = "", " -----"
	}
	show := func(own, other byte) {
		for i := 0; i < len(h.lines); {
			end, mixed := i, false
			for end < len(h.lines) && h.lines[end].op != ' ' {
				mixed = mixed || h.lines[end].op == other
				end++
			}
			mark := string(own) + " "
			if mixed && !normal {
				mark = "! "
			}
			for ; i < end; i++ {
				if h.lines[i].op == own {
					put(b, mark, h.lines[i].text)
				}
			}
			if i < len(h.lines) {
				put(b, "  ", h.lines[i].text)
				i++
			}
		}
	}
	fmt.Fprintf(b, "***************%s\n*** %s%s\n", h.function, span(h.at, before), stars)
	show('-', '+')
	fmt.Fprintf(b, "--- %s%s\n", span(h.newAt, after), minuses)
	show('+', '-')
}
