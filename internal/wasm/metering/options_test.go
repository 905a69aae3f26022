package metering_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

func TestTheYieldFunctionIsImportedLastUnderItsName(t *testing.T) {
	var m builder
	m.importFunction("host", "log", "i:")
	m.importFunction("host", "log", "i:")
	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{})
	require.NoError(t, err)
	ctx := context.Background()
	runtime := interpreter.runtime()
	defer runtime.Close(ctx)
	compiled, err := runtime.CompileModule(ctx, rewritten)
	require.NoError(t, err)

	imported := compiled.ImportedFunctions()
	require.Len(t, imported, 3)
	module, name, _ := imported[2].Import()
	require.Equal(t, [2]string{metering.YieldModule, metering.YieldName}, [2]string{module, name})
	require.Equal(t, []api.ValueType{api.ValueTypeI32}, imported[2].ParamTypes())
	require.Equal(t, []api.ValueType{api.ValueTypeI32}, imported[2].ResultTypes())
}

func TestTheFuelIsAMutableGlobalUnderItsName(t *testing.T) {
	var m builder
	m.exportFunction("f", "i:", "i", sumDown())
	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{})
	require.NoError(t, err)
	forEachEngine(t, func(t *testing.T, e engine) {
		host := endless()
		i, err := instantiate(t, e, rewritten, host)
		require.NoError(t, err)
		fuel, ok := i.ExportedGlobal(metering.FuelExport).(api.MutableGlobal)
		require.True(t, ok)
		require.Equal(t, api.ValueTypeI32, fuel.Type())
		require.Zero(t, fuel.Get())

		fuel.Set(1000)
		_, err = i.call("f", 100)
		require.NoError(t, err)
		require.Equal(t, uint64(901), fuel.Get())
		require.Empty(t, host.asked)
	})
}

func TestGlobalsAreExportedByTheirIndex(t *testing.T) {
	var m builder
	m.importGlobal("env", "answer", code(valueTypes['i'], 0))
	m.importGlobal("env", "counter", code(valueTypes['i'], 1))
	m.global(code(valueTypes['I'], 1), i64(77))
	m.exportGlobal("g0", "i", i32(1))
	m.exportFunction("f", ":", "", globalGet(2), i64(1), 0x7c, globalSet(2))
	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{State: true})
	require.NoError(t, err)

	forEachEngine(t, func(t *testing.T, e engine) {
		i, err := instantiate(t, e, rewritten, endless())
		require.NoError(t, err)
		_, err = i.call("f")
		require.NoError(t, err)
		for index, want := range []uint64{42, 5, 78, 1} {
			require.Equal(t, want, i.ExportedGlobal(metering.GlobalExport(index)).Get(), index)
		}
		require.EqualValues(t, 1, i.ExportedGlobal("g0").Get())
		require.Zero(t, i.ExportedGlobal(metering.FuelExport).Get())
	})
}

func TestTheSameModuleAndOptionsGiveTheSameBytes(t *testing.T) {
	var m builder
	for range 20 {
		m.global(code(valueTypes['i'], 0), i32(0))
	}
	options := metering.Options{State: true}
	want, err := metering.Rewrite(m.bytes(), options)
	require.NoError(t, err)
	for range 20 {
		got, err := metering.Rewrite(m.bytes(), options)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
