package tool

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
)

type everything struct {
	City   string         `json:"city" jsonschema:"the city"`
	Unit   string         `json:"unit,omitempty" enum:"celsius,fahrenheit" default:"celsius"`
	Days   int            `json:"days" default:"5" minimum:"1" maximum:"14" jsonschema:"how many"`
	U8     uint8          `maximum:"9"`
	U64    uint64         `json:"u64"`
	I8     int8           `json:"i8"`
	F      float32        `json:"f" minimum:"0.5"`
	Maybe  *string        `json:"maybe"`
	None   *int           `json:"none,omitempty"`
	List   []string       `json:"list" minItems:"1" pattern:"^a" jsonschema:"a list"`
	Chosen []int          `json:"chosen,omitempty" enum:"1,2"`
	Three  [3]bool        `json:"three"`
	Map    map[string]int `json:"map"`
	Time   time.Time      `json:"time" jsonschema:"when"`
	Times  []time.Time    `json:"times,omitempty"`
	Any    any
	Pair   struct{ X, Y float64 } `json:"pair"`
	Skip   string                 `json:"-"`
	People []struct {
		Name string `json:"name" maxLength:"3"`
		Mail string `json:"mail,omitempty" format:"email"`
	} `json:"people,omitzero"`
	Data  []byte   `json:"data" jsonschema:"a picture"`
	Blob  *blob    `json:"blob,omitempty"`
	Datas [][]byte `json:"datas"`
	Raw   [4]byte  `json:"raw"`
	Embedded
	Wait   time.Duration
	hidden int
}

type blob []byte

type Embedded struct {
	E1 string `json:"e1" default:"x"`
	E2 int
}

// TestSchemasAreThoseOfTheRegistry: a tool has the same schemas as a WebAssembly module and as a function of the host.
func TestSchemasAreThoseOfTheRegistry(t *testing.T) {
	require.Zero(t, everything{}.hidden)
	type result struct {
		Map  map[string]int `json:"map"`
		List []string
		Maps []map[string]bool `json:"maps,omitempty"`
		P    *int
		At   time.Time
		Days int `json:"days" minimum:"3"`
		Data []byte
		Blob *blob
		Some map[string][]byte
	}
	spec := tool.Func(tool.Spec{Name: "x", Description: "d"},
		func(context.Context, everything, tool.Env) (result, error) { return result{}, nil }).Spec()
	input, err := schemaOf(reflect.TypeFor[everything](), true)
	require.NoError(t, err)
	require.JSONEq(t, string(spec.Schema), string(input))
	output, err := schemaOf(reflect.TypeFor[result](), false)
	require.NoError(t, err)
	require.JSONEq(t, string(spec.OutputSchema), string(output))
}

func TestDefaultsAreThoseOfTheTags(t *testing.T) {
	defaults, err := defaultsOf[everything]()
	require.NoError(t, err)
	in, err := decode[everything]([]byte(`{"city":"Oslo","days":3}`), defaults)
	require.NoError(t, err)
	require.Equal(t, "celsius", in.Unit)
	require.Equal(t, 3, in.Days)
	require.Equal(t, "x", in.E1)
	_, err = decode[everything]([]byte(`{"days":"many"}`), nil)
	require.ErrorContains(t, err, "Failed to parse parameters: ")
}

func TestTypesWithoutASchema(t *testing.T) {
	type loop struct{ Next *loop }
	for want, of := range map[string]reflect.Type{
		"not a struct":    reflect.TypeFor[int](),
		"contains itself": reflect.TypeFor[loop](),
		"no schema for":   reflect.TypeFor[struct{ F func() }](),
		"tag minimum": reflect.TypeFor[struct {
			S string `minimum:"1"`
		}](),
		"is not in the enum": reflect.TypeFor[struct {
			S string `enum:"a,b" default:"c"`
		}](),
	} {
		_, err := schemaOf(of, true)
		require.ErrorContains(t, err, want)
	}
}
