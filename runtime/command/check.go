package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/wasm/metering"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// A Form is one of the two forms of modules.
type Form string

// The forms. A module that has both entry points is a command.
const (
	FormCommand Form = "command" // runs its export _start once
	FormReactor Form = "reactor" // runs _initialize once, and then toolrun_call for each run
)

// Names of exports.
const (
	startExport      = "_start"
	initializeExport = "_initialize"
	callExport       = "toolrun_call"
	describeExport   = "toolrun_describe"
)

// Limits on modules. Larger ones are refused, since a small module can be made so that compiling it takes all memory.
// They are far above what compilers of languages produce.
const (
	MaxModule    = 64 << 20 // bytes, custom sections included
	MaxCode      = 32 << 20 // bytes without custom sections
	maxFunctions = 100_000
	maxTags      = 10_000
	maxGlobals   = 100_000
	maxElements  = 1_000_000 // of tables
	maxExternals = 10_000    // imports, and exports
	// In one function.
	maxBody    = 512 << 10 // bytes
	maxLocals  = 5_000
	maxBlocks  = 5_000
	maxNesting = 4_000
	maxLoops   = 100 // nested
	maxCarried = 10_000
	maxJoins   = 400_000
	maxValues  = 100_000
	// In all functions.
	maxAllBlocks  = 1_000_000
	maxAllCarried = 2_000_000
	maxAllJoins   = 16_000_000
	maxAllValues  = 8_000_000
	maxAllExits   = 2_000_000_000 // compiling takes half a minute then
)

// A RefusedError says why a module cannot be run, and what its author can do.
type RefusedError struct {
	// Reason names what is wrong, such as the import that is not offered.
	Reason string
	// Advice is what to do, or "".
	Advice string
	Err    error // the cause, or nil
}

func (e *RefusedError) Error() string {
	text := "this module cannot be run: " + e.Reason
	if e.Advice != "" {
		text += ". " + e.Advice
	}
	return text
}

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

const wasip1 = "Compile it as a core module for WASI preview 1: GOOS=wasip1 GOARCH=wasm for Go, " +
	"--target wasm32-wasip1 for Rust, --target=wasm32-wasi for C, -target=wasip1 for TinyGo"

// Check returns the form of a module, or a [*RefusedError] that says why it cannot be run. A module that passes can
// still be invalid: [Load] finds that out. Check takes time and memory in proportion to the module's size.
func Check(module []byte) (Form, error) { return check(module, MaxCode) }

// CheckLanguage is Check for the interpreter of a language, which the operator has chosen: it can have [MaxModule] of
// code.
func CheckLanguage(module []byte) error {
	_, err := check(module, MaxModule)
	return err
}

func check(module []byte, maxCode uint64) (Form, error) {
	if len(module) > MaxModule {
		return "", &RefusedError{Reason: fmt.Sprintf("it has %d MiB, and may have %d", len(module)>>20, MaxModule>>20),
			Advice: "Leave out debugging information: -ldflags='-s -w' for Go, -C strip=symbols for Rust, -s for C"}
	}
	info, err := metering.Inspect(module)
	if err != nil {
		return "", refusal(err)
	}
	if err := checkSize(info, len(module), maxCode); err != nil {
		return "", err
	}
	for _, i := range info.Imports {
		if err := checkImport(i); err != nil {
			return "", err
		}
	}
	if err := checkMemory(info.Memory); err != nil {
		return "", err
	}
	return checkExports(info.Exports)
}

// refusal makes a RefusedError of an error of package metering.
func refusal(err error) *RefusedError {
	refused := &RefusedError{Reason: strings.TrimPrefix(err.Error(), "metering: "), Err: err}
	switch {
	case errors.Is(err, metering.ErrComponent):
		refused.Reason = "it is a component (WASI preview 2), and only core modules can be run"
		refused.Advice = wasip1
	case errors.Is(err, metering.ErrMemory64):
		refused.Reason = "it has a 64-bit memory or table (memory64)"
		refused.Advice = "Compile it for wasm32"
	case errors.Is(err, metering.ErrLegacyExceptions):
		refused.Reason = "it uses exceptions in their legacy form"
		refused.Advice = "Compile and link it with -mllvm -wasm-use-legacy-eh=false for clang 20 and later, " +
			"-sWASM_LEGACY_EXCEPTIONS=0 for Emscripten, -C llvm-args=-wasm-use-legacy-eh=false for Rust"
	case errors.Is(err, metering.ErrUnsupported):
		refused.Reason = "it uses a part of WebAssembly that cannot be limited (" + refused.Reason + ")"
		refused.Advice = "Compile it for WebAssembly 2.0, without newer features such as multiple memories, " +
			"garbage collection, or relaxed SIMD"
	}
	return refused
}

// formOf returns the form of a module that can be one which [Check] has accepted before, or what Check says of it.
func formOf(module []byte) (Form, error) {
	if len(module) <= MaxModule {
		if exports, err := metering.Exports(module); err == nil {
			if form, err := checkExports(exports); err == nil {
				return form, nil
			}
		}
	}
	return Check(module)
}

// rules says which modules [Check] accepts: another version of the rules has other limits, or another metering.Version.
func rules() string {
	return fmt.Sprint(sizes(&metering.Info{}, 0, MaxCode), sandbox.DefaultMemory, metering.Version)
}

func checkSize(info *metering.Info, size int, maxCode uint64) error {
	for _, part := range sizes(info, size, maxCode) {
		if part.is > part.most {
			return &RefusedError{Reason: fmt.Sprintf("it has %d %s, and may have %d", part.is, part.what, part.most)}
		}
	}
	return nil
}

// A size is how much a module has of something, and how much it may have.
type size struct {
	what     string
	is, most uint64
}

func sizes(info *metering.Info, bytes int, maxCode uint64) []size {
	return []size{
		{"bytes beside custom sections", uint64(bytes - info.Custom), maxCode},
		{"functions", uint64(info.Functions), maxFunctions},
		{"tags of exceptions", uint64(info.Tags), maxTags},
		{"global variables", uint64(info.Globals), maxGlobals},
		{"elements of tables", info.Elements, maxElements},
		{"imports", uint64(len(info.Imports)), maxExternals},
		{"exports", uint64(len(info.Exports)), maxExternals},
		{"bytes in one function", uint64(info.Code.Bytes), maxBody},
		{"local variables in one function", info.Code.Locals, maxLocals},
		{"blocks in one function", info.Code.Blocks, maxBlocks},
		{"nested blocks in one function", uint64(info.Code.Nesting), maxNesting},
		{"nested loops in one function", uint64(info.Code.Loops), maxLoops},
		{"local variables times nested loops in one function", info.Code.Carried, maxCarried},
		{"local variables times blocks in one function", info.Code.Joins, maxJoins},
		{"calls, branch targets and values in one function", info.Code.Values, maxValues},
		{"blocks in all functions", info.Total.Blocks, maxAllBlocks},
		{"local variables times nested loops in all functions", info.Total.Carried, maxAllCarried},
		{"local variables times blocks in all functions", info.Total.Joins, maxAllJoins},
		{"calls, branch targets and values in all functions", info.Total.Values, maxAllValues},
		{"squares of the conditional branches, throws and calls that may throw in each function", info.Total.Exits,
			maxAllExits},
	}
}

// foreign says for which system a module with an unknown import was made, by the beginning of the import's module.
var foreign = []struct{ module, made, advice string }{
	{"wasi:", "WASI preview 2", wasip1},
	{"wasi_unstable", "WASI preview 0", wasip1},
	{"wasi_snapshot_preview1", "", "Rebuild it without what needs this function"},
	{"wasix_", "WASIX", wasip1},
	{"gojs", "Go programs in a browser (GOOS=js)", "Compile it with GOOS=wasip1 GOARCH=wasm"},
	{"go", "Go programs in a browser (GOOS=js)", "Compile it with GOOS=wasip1 GOARCH=wasm"},
	{"__wbindgen", "JavaScript (wasm-bindgen)", "Compile it for wasm32-wasip1, without wasm-bindgen"},
	{"wbg", "JavaScript (wasm-bindgen)", "Compile it for wasm32-wasip1, without wasm-bindgen"},
	{"extism:", "Extism", "Read the input from standard input and write the result to standard output instead"},
	{"a", "JavaScript (Emscripten)", "Compile it with -sSTANDALONE_WASM"},
	{"env", "a host of its own, such as a JavaScript page", "A program for WASI preview 1 imports nothing from env. " +
		"If it was made with Emscripten, compile it with -sSTANDALONE_WASM; " +
		"if a C function is undefined, link what defines it"},
}

func checkImport(i metering.External) error {
	name := fmt.Sprintf("%q from %q", i.Name, i.Module)
	if i.Kind == metering.Memory {
		return &RefusedError{Reason: "it imports its memory, " + name,
			Advice: "Programs with threads do that. Compile it without threads, so that it exports its memory"}
	}
	if i.Kind != metering.Function {
		return &RefusedError{Reason: fmt.Sprintf("it imports the %v %s, which is not offered", i.Kind, name)}
	}
	if i.Module == "wasi_snapshot_preview1" {
		offered, ok := sandbox.WASIFunction(i.Name)
		if ok && offered != i.Type {
			return &RefusedError{Reason: fmt.Sprintf("it imports the function %s with the type %s, and the type is %s",
				name, i.Type, offered)}
		}
		if ok {
			return nil
		}
	}
	if offered, ok := callTypes[i.Name]; ok && i.Module == callsModule {
		if offered != i.Type {
			return &RefusedError{Reason: fmt.Sprintf("it imports the function %s with the type %s, and the type is %s",
				name, i.Type, offered)}
		}
		return nil
	}
	refused := &RefusedError{Reason: "it imports the function " + name + ", which is not offered"}
	for _, f := range foreign {
		exact := len(f.module) < 5
		if exact && i.Module == f.module || !exact && strings.HasPrefix(i.Module, f.module) {
			refused.Advice = f.advice
			if f.made != "" {
				refused.Advice = "It was made for " + f.made + ". " + f.advice
			}
			return refused
		}
	}
	refused.Advice = "Only the functions of WASI preview 1 are. " + wasip1
	return refused
}

func checkMemory(memory *metering.MemoryType) error {
	const page = 64 << 10
	switch {
	case memory == nil:
		return &RefusedError{
			Reason: "it has no memory, so it can neither read its input nor write a result", Advice: wasip1,
		}
	case memory.Shared:
		return &RefusedError{Reason: "its memory is shared: it is made for threads, which there are not",
			Advice: "Compile it without threads: for wasm32-wasip1, not wasm32-wasip1-threads"}
	case memory.Least*page > sandbox.DefaultMemory:
		return &RefusedError{Reason: fmt.Sprintf("it has %d MiB of memory from the start, and may have %d MiB",
			memory.Least*page>>20, sandbox.DefaultMemory>>20)}
	}
	return nil
}

func checkExports(exports []metering.External) (Form, error) {
	byName := map[string]metering.External{}
	for _, e := range exports {
		byName[e.Name] = e
	}
	entry := func(name string, types ...string) (bool, error) {
		e, ok := byName[name]
		if !ok {
			return false, nil
		}
		if e.Kind != metering.Function || !slices.Contains(types, e.Type) {
			return false, &RefusedError{Reason: fmt.Sprintf("its export %q is not a function of the type %s but %s",
				name, strings.Join(types, " or "), cmp.Or(e.Type, "a "+e.Kind.String()))}
		}
		return true, nil
	}
	if memory := byName["memory"]; memory.Kind != metering.Memory {
		return "", &RefusedError{Reason: `it does not export its memory as "memory"`, Advice: wasip1}
	}
	if ok, err := entry(startExport, "() -> ()"); ok || err != nil {
		return FormCommand, err
	}
	if _, err := entry(initializeExport, "() -> ()"); err != nil {
		return "", err
	}
	if _, err := entry(describeExport, "() -> ()", "() -> (i32)"); err != nil {
		return "", err
	}
	ok, err := entry(callExport, "() -> ()", "() -> (i32)")
	if err != nil {
		return "", err
	}
	if !ok {
		return "", &RefusedError{Reason: "it has no entry point: neither _start nor toolrun_call is exported",
			Advice: "A program with a main function exports _start, " +
				"a library must export a function toolrun_call without parameters. " +
				"Rust: build a binary, not a library; C: do not link with -nostartfiles"}
	}
	return FormReactor, nil
}
