package javascript

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// liarExports are the functions that package quickjs calls.
var liarExports = []string{
	"malloc", "free", "QJS_CloneValue", "QJS_CreateFunctionProxy", "QJS_FreeValue",
	"QJS_NewString", "QJS_ParseJSON", "QJS_ThrowInternalError", "JS_AtomToValue", "JS_GetException",
	"JS_GetPropertyStr", "JS_NewArrayBufferCopy", "JS_NewObject",
}

// liarImports are all functions that the engine can import, and their types.
var liarImports = func() []liarImport {
	imports := []liarImport{
		{"env", "jsFunctionProxy", []api.ValueType{i32, i64, i32, i32}, []api.ValueType{i64}},
		{metering.YieldModule, metering.YieldName, []api.ValueType{i32}, []api.ValueType{i32}},
		{"wasi_snapshot_preview1", "proc_exit", []api.ValueType{i32}, nil},
	}
	for _, f := range strings.Split(wasiSignatures, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(f), ":")
		imports = append(imports, liarImport{"wasi_snapshot_preview1", name, wasiTypes(params), []api.ValueType{i32}})
	}
	slices.SortFunc(imports[3:], func(a, b liarImport) int { return strings.Compare(a.name, b.name) })
	return imports
}()

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

// wasiSignatures are the functions of WASI that guests can import, with the types of their parameters: i for 32 bits,
// I for 64.
const wasiSignatures = `args_get:ii, args_sizes_get:ii, environ_get:ii, environ_sizes_get:ii, clock_res_get:ii,
	clock_time_get:iIi, fd_advise:iIIi, fd_allocate:iII, fd_close:i, fd_datasync:i, fd_fdstat_get:ii,
	fd_fdstat_set_flags:ii, fd_fdstat_set_rights:iII, fd_filestat_get:ii, fd_filestat_set_size:iI,
	fd_filestat_set_times:iIIi, fd_pread:iiiIi, fd_prestat_get:ii, fd_prestat_dir_name:iii,
	fd_pwrite:iiiIi, fd_read:iiii, fd_readdir:iiiIi, fd_renumber:ii, fd_seek:iIii, fd_sync:i, fd_tell:ii,
	fd_write:iiii, path_create_directory:iii, path_filestat_get:iiiii, path_filestat_set_times:iiiiIIi,
	path_link:iiiiiii, path_open:iiiiiIIii, path_readlink:iiiiii, path_remove_directory:iii,
	path_rename:iiiiii, path_symlink:iiiii, path_unlink_file:iii, poll_oneoff:iiii, proc_raise:i,
	random_get:ii, sched_yield:, sock_accept:iii, sock_recv:iiiiii, sock_send:iiiii, sock_shutdown:ii`

func wasiTypes(params string) (types []api.ValueType) {
	for _, c := range params {
		types = append(types, map[rune]api.ValueType{'i': i32, 'I': i64}[c])
	}
	return types
}

type liarImport struct {
	module, name    string
	params, results []api.ValueType
}

// liarParams is how many arguments an export has. Callers give it as many as it takes.
const liarParams = 6

// liarModule assembles the guest. Each export calls the answer of this side with its number and its arguments; for
// each import there is another export, of the same type, that calls it.
func liarModule() []byte {
	number := func(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }
	vector := func(items ...[]byte) []byte { return append(number(len(items)), bytes.Join(items, nil)...) }
	text := func(s string) []byte { return append(number(len(s)), s...) }
	section := func(id byte, items ...[]byte) []byte {
		content := vector(items...)
		return slices.Concat([]byte{id}, number(len(content)), content)
	}
	signature := func(params, results []api.ValueType) []byte {
		return slices.Concat([]byte{0x60}, text(string(params)), text(string(results)))
	}
	const function, memory, global = 0, 2, 3
	var types, imports, functions, exports, bodies [][]byte
	answered := slices.Repeat([]api.ValueType{i64}, liarParams)
	use := func(params, results []api.ValueType) []byte {
		types = append(types, signature(params, results))
		return number(len(types) - 1)
	}
	add := func(name string, params, results []api.ValueType, before []byte, target int) {
		code := before
		for i := range params {
			code = slices.Concat(code, []byte{0x20}, number(i)) // local.get
		}
		code = slices.Concat(number(0), code, []byte{0x10}, number(target), []byte{0x0b}) // no locals; call, end
		functions = append(functions, use(params, results))
		exports = append(exports, slices.Concat(text(name), []byte{function}, number(len(imports)+len(functions)-1)))
		bodies = append(bodies, append(number(len(code)), code...))
	}
	imported := func(i liarImport) {
		imports = append(imports, slices.Concat(text(i.module), text(i.name), []byte{function},
			use(i.params, i.results)))
	}
	imported(liarImport{answerModule, "answer", append([]api.ValueType{i32}, answered...), []api.ValueType{i64}})
	for _, i := range liarImports {
		imported(i)
	}
	for n, name := range liarExports {
		add(name, answered, []api.ValueType{i64}, append([]byte{0x41}, byte(n)), 0) // i32.const
	}
	for n, i := range liarImports {
		add("import:"+i.name, i.params, i.results, nil, n+1)
	}
	exports = append(exports, slices.Concat(text("memory"), []byte{memory, 0}),
		slices.Concat(text(metering.GlobalExport(0)), []byte{global, 0}), slices.Concat(text(metering.FuelExport),
			[]byte{global, 1}))
	variable := []byte{i32, 1, 0x41, 0, 0x0b} // mutable, 0
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, types...), section(2, imports...), section(3, functions...),
		section(5, append([]byte{0}, number(liarPages)...)), section(6, variable, variable),
		section(7, exports...), section(10, bodies...))
}
