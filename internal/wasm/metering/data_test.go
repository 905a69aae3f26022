package metering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

func TestDataIsTheSame(t *testing.T) {
	data := func(name string, segments func(m *builder)) shape {
		return shape{
			name: name,
			build: func(m *builder) {
				m.memory(limits(1))
				segments(m)
			},
		}
	}
	testShapes(t, []shape{
		data("close to each other", func(m *builder) {
			m.activeData(0, "a")
			m.activeData(1, "b")
			m.activeData(34, "c")
			m.activeData(68, "d")
			m.activeData(0xffff, "e")
		}),
		data("in another order", func(m *builder) {
			m.activeData(40, "second")
			m.activeData(90, "third")
			m.activeData(10, "first")
			m.activeData(50, "more of it")
		}),
		data("over each other", func(m *builder) {
			m.activeData(20, "below")
			m.activeData(10, "a")
			m.activeData(30, "b")
			m.activeData(22, "LO")
		}),
		data("empty", func(m *builder) {
			m.activeData(10, "")
			m.activeData(20, "a")
			m.activeData(20, "")
			m.activeData(0x10000, "")
		}),
		data("with an offset that is a global", func(m *builder) {
			at := m.importGlobal("env", "answer", code(valueTypes['i'], 0))
			m.activeData(40, "a")
			add(&m.data, code(0, globalGet(at), opEnd, str("b")))
			m.activeData(48, "c")
		}),
	})
}

func TestDataIsJoined(t *testing.T) {
	var m builder
	m.memory(limits(2))
	for i := range 10_000 {
		m.activeData(int32(i*6), "x")
	}
	before := m.bytes()
	after, err := metering.Rewrite(before, metering.Options{})
	require.NoError(t, err)
	require.Less(t, len(after), len(before)) // a segment costs more than five zeros
}
