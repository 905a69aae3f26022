package metering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/wasm/metering"
)

func TestSkeleton(t *testing.T) {
	module := func(counted bool) []byte {
		var m builder
		m.importFunction("host", "successor", "i:i")
		m.memory(limits(1))
		m.exportGlobal("global", "i", i32(7))
		m.activeData(0, "in the image")
		if m.dataCount = counted; counted {
			passive := m.passiveData("passive")
			add(&m.data, code(2, 0, i32(30), opEnd, str("with a memory index")))
			m.exportFunction("init", ":", "i", i32(10), i32(0), i32(7), memoryInit(passive))
		}
		m.exportFunction("double", "i:i", "iIfF", localGet(0), localGet(0), opI32Add)
		return m.bytes()
	}
	forEachEngine(t, func(t *testing.T, e engine) {
		for _, counted := range []bool{false, true} {
			skeleton, err := metering.Skeleton(module(counted))
			require.NoError(t, err)
			i, err := instantiate(t, e, skeleton, nil)
			require.NoError(t, err)
			require.EqualValues(t, 7, i.ExportedGlobal("global").Get())
			memory, ok := i.Memory().Read(0, 1<<16)
			require.True(t, ok)
			require.Equal(t, make([]byte, 1<<16), memory)
			_, err = i.call("double", 1)
			require.ErrorContains(t, err, "unreachable")
			again, err := metering.Skeleton(skeleton)
			require.NoError(t, err)
			require.Equal(t, skeleton, again)
			if counted { // it is what the code of the module itself would use
				require.Contains(t, string(skeleton), "passive")
			}
		}
	})
	for name, module := range map[string][]byte{
		"not a module": []byte("module"),
		"more bodies than there are": append(code([]byte("\x00asm\x01\x00\x00\x00")),
			section(10, code(1, 2, 0, opEnd))...),
		"a segment that is cut off": append(code([]byte("\x00asm\x01\x00\x00\x00")),
			section(11, code(1, 0, opI32Const))...),
		"data of an unknown form": append(code([]byte("\x00asm\x01\x00\x00\x00")), section(11, code(1, 9))...),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := metering.Skeleton(module)
			require.ErrorContains(t, err, "metering: ")
		})
	}
}

func TestSkeletonOfQuickJS(t *testing.T) {
	wasm := quickjs.Original()
	rewritten, err := metering.Rewrite(wasm, metering.Options{})
	require.NoError(t, err)
	skeleton, err := metering.Skeleton(rewritten)
	require.NoError(t, err)
	require.Less(t, len(skeleton), len(wasm)/20)
	for _, e := range engines() {
		require.NoError(t, compiles(e, skeleton))
	}
}
