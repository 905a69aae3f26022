package quickjs

// The layout of the engine's memory, for the build that SHA256 names. C structures of QuickJS-ng 0.10.1 on wasm32:
// pointers are 4 bytes, a JSValue is 8 bytes and aligned to 8. Start and Verify check the layout through its
// effects.
//
// See struct JSRuntime, JSContext, JSString, JSObject and JSArrayBuffer in
// https://github.com/quickjs-ng/quickjs/blob/v0.10.1/quickjs.c
const (
	// What New_QJS returns: a JSRuntime* and a JSContext*.
	qjsRuntime = 0
	qjsContext = 4

	runtimeAllocated  = 24  // u32: how many bytes the engine counts as allocated
	runtimeCollectAt  = 116 // u32: garbage in cycles is collected when more bytes than this are allocated
	runtimeStackTop   = 124 // u32: where the C stack was when the runtime was made
	runtimeStackLimit = 128 // u32: calls fail with a RangeError when the C stack is below this; 0 is never

	runtimeFrame = 148 // JSStackFrame* of the function that runs

	frameArgument = 16 // JSValue*
	frameCount    = 36 // u32: how many arguments, in the lower 31 bits

	contextDeclarations = 248 // JSValue: the object with what let, const and class declare in global scope
	contextRandomState  = 264 // u64: the state of Math.random, never zero

	stringLength = 4  // u32: the length in code units; the top bit says that they are 16 bits wide, not 8
	stringFlags  = 8  // u32: a bit says that it is a slice
	stringData   = 20 // the code units; for a slice, the whole string (JSString*), then the slice's offset in bytes

	stringWide  = 1 << 31 // the top bit of the length
	stringSlice = 1 << 29 // the bit: long parts of a string are not copied

	maxStringLength = 1<<30 - 1 // code units

	objectClass       = 6 // u16
	classObject       = 1 // plain objects, and those of a script's classes that extend none of the engine's
	classArray        = 2
	classError        = 3
	objectFlags       = 5    // u8
	uncatchable       = 0x20 // a flag: an error that no code can catch
	objectArrayBuffer = 32   // JSArrayBuffer*, for objects of one of the two classes below

	objectPromise = 32 // JSPromiseData*, for promises
	classPromise  = 50

	promiseState   = 0  // u32: 0 is pending, 1 is fulfilled, 2 is rejected
	promiseHandled = 20 // u8: whether a reaction was ever attached
	promiseResult  = 24 // JSValue

	bytecodeStart  = 20 // u8*, of a JSFunctionBytecode
	bytecodeLength = 24 // u32

	// A script's code begins with one of these for each name that it declares: the name's JSAtom and a byte of flags.
	opCheckDefine     = 0x40
	opCheckDefineSize = 6

	objectProxy  = 32 // JSProxyData*, for proxies
	classProxy   = 49
	proxyTarget  = 0 // JSValue
	proxyHandler = 8 // JSValue

	moduleName        = 4  // JSAtom of a JSModuleDef; 0 is no name
	moduleImports     = 16 // JSReqModuleEntry*: the imports, in order
	moduleImportCount = 20 // u32
	moduleNamespace   = 64 // JSValue: the namespace object; undefined until it is needed
	moduleState       = 84 // u32: a flag in the first byte, and the status in the last one

	moduleWaits      = 1  // the flag: there is an await at the top level
	moduleStatus     = 24 // how many bits are before the status
	statusLinking    = 1
	statusEvaluating = 3
	statusEvaluated  = 5

	moduleMeta = 176 // JSValue: import.meta

	moduleExports     = 28 // JSExportEntry*
	moduleExportCount = 32 // u32
	moduleNames       = 52 // JSImportEntry*: the names that it imports
	moduleNameCount   = 56 // u32

	exportVariable = 0  // u32 of a JSExportEntry: the index of a variable of the module, or of an import
	exportType     = 8  // u32
	exportName     = 12 // JSAtom: the name in the module, or in the imported one
	exportSize     = 20 // bytes
	exportLocal    = 0  // the type: a variable of the module
	exportIndirect = 1  // the type: an export of an imported module

	nameVariable = 0   // u32 of a JSImportEntry: the index of the variable
	nameImported = 4   // JSAtom: the name in the imported module
	nameModule   = 8   // u32: the index of the import
	nameSize     = 12  // bytes
	atomStar     = 127 // the name of a namespace, *

	importSpecifier = 0 // JSAtom, of a JSReqModuleEntry
	importModule    = 4 // JSModuleDef*
	importSize      = 8 // bytes

	classArrayBuffer       = 19
	classSharedArrayBuffer = 20

	classFinalizationRegistry = 60

	arrayBufferLength = 0  // u32
	arrayBufferData   = 12 // u8*
)

// stackSize is the size of the C stack in bytes. JavaScript functions use about 300 bytes a call, so scripts can
// recurse 4,000 deep. More would be useless: wazero's own stack ends soon after.
const stackSize = 1280 << 10

// stackReserve is how much of the stack is kept free for C code that does not look at the limit.
const stackReserve = 16 << 10
