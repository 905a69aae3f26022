package metering_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/internal/metering"
)

func TestTheYieldFunctionIsImportedLastUnderItsName(t *testing.T) {
	var m builder
	m.importFunction("host", "log", "i:")
	m.importFunction("host", "log", "i:")
	for _, c := range []struct {
		name    string
		options metering.Options
		want    [2]string
	}{
		{"neither name given", metering.Options{}, [2]string{metering.YieldModule, metering.YieldName}},
		{"both names given", metering.Options{YieldModule: "a", YieldName: "b"}, [2]string{"a", "b"}},
		{"only the module given", metering.Options{YieldModule: "a"}, [2]string{"a", ""}},
		{"the name of another import, from another module", metering.Options{YieldModule: "a", YieldName: "log"}, [2]string{"a", "log"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rewritten, err := metering.Rewrite(m.bytes(), c.options)
			require.NoError(t, err)
			ctx := context.Background()
			runtime := interpreter.runtime()
			defer runtime.Close(ctx)
			compiled, err := runtime.CompileModule(ctx, rewritten)
			require.NoError(t, err)

			imported := compiled.ImportedFunctions()
			require.Len(t, imported, 3)
			module, name, _ := imported[2].Import()
			require.Equal(t, c.want, [2]string{module, name})
			require.Equal(t, []api.ValueType{api.ValueTypeI32}, imported[2].ParamTypes())
			require.Equal(t, []api.ValueType{api.ValueTypeI32}, imported[2].ResultTypes())
		})
	}
}

func TestTheFuelIsAMutableGlobalUnderItsName(t *testing.T) {
	var m builder
	m.exportFunction("f", "i:", "i", sumDown())
	for _, c := range []struct {
		options metering.Options
		export  string
	}{
		{metering.Options{}, metering.FuelExport},
		{metering.Options{FuelExport: "fuel of the module"}, "fuel of the module"},
	} {
		t.Run(c.export, func(t *testing.T) {
			rewritten, err := metering.Rewrite(m.bytes(), c.options)
			require.NoError(t, err)
			forEachEngine(t, func(t *testing.T, e engine) {
				host := endless()
				i, err := instantiate(t, e, rewritten, host)
				require.NoError(t, err)
				fuel, ok := i.ExportedGlobal(c.export).(api.MutableGlobal)
				require.True(t, ok)
				require.Equal(t, api.ValueTypeI32, fuel.Type())
				require.Zero(t, fuel.Get())

				fuel.Set(1000)
				_, err = i.call("f", 100)
				require.NoError(t, err)
				require.Equal(t, uint64(901), fuel.Get())
				require.Empty(t, host.asked)
			})
		})
	}
}

func TestGlobalsAreExportedByTheirIndex(t *testing.T) {
	var m builder
	m.importGlobal("env", "answer", code(valueTypes['i'], 0))
	m.importGlobal("env", "counter", code(valueTypes['i'], 1))
	m.global(code(valueTypes['I'], 1), i64(77))
	m.exportGlobal("g0", "i", i32(1))
	m.exportFunction("f", ":", "", globalGet(2), i64(1), 0x7c, globalSet(2))
	names := map[string]uint32{"imported": 0, "variable": 1, "own": 2, "again": 3, "again and again": 3}
	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{ExportGlobals: names})
	require.NoError(t, err)
	require.Len(t, names, 5, "the options are not changed")

	forEachEngine(t, func(t *testing.T, e engine) {
		i, err := instantiate(t, e, rewritten, endless())
		require.NoError(t, err)
		_, err = i.call("f")
		require.NoError(t, err)
		for name, want := range map[string]uint64{
			"imported": 42, "variable": 5, "own": 78, "again": 1, "again and again": 1, "g0": 1, metering.FuelExport: 0,
		} {
			require.Equal(t, want, i.ExportedGlobal(name).Get(), name)
		}
	})
}

func TestTheSameModuleAndOptionsGiveTheSameBytes(t *testing.T) {
	var m builder
	for range 20 {
		m.global(code(valueTypes['i'], 0), i32(0))
	}
	options := metering.Options{ExportGlobals: map[string]uint32{}}
	for n, name := range "abcdefghijklmnopqrst" {
		options.ExportGlobals[string(name)] = uint32(n)
	}
	want, err := metering.Rewrite(m.bytes(), options)
	require.NoError(t, err)
	for range 20 {
		got, err := metering.Rewrite(m.bytes(), options)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
