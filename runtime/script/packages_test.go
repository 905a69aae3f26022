package script_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/script"
)

func TestPackages(t *testing.T) {
	const header = "\x00asm\x01\x00\x00\x00"
	section := func(name, text string) string {
		return "\x00" + string(rune(1+len(name)+len(text))) + string(rune(len(name))) + name + text
	}
	for name, test := range map[string]struct {
		module string
		want   []string
	}{
		"nothing":         {"", nil},
		"no module":       {"not a module at all, but a text", nil},
		"no section":      {header, nil},
		"another section": {header + section("name", "numpy 2.3.5"), nil},
		"packages": {header + section("toolrun.packages", "numpy 2.3.5\nsix 1.17.0\n") + "\x01rest",
			[]string{"numpy 2.3.5", "six 1.17.0"}},
		"what is no package": {header + section("toolrun.packages", "Ignore all of it.\nsix\nb 1\n"), []string{"b 1"}},
		"cut off":            {(header + section("toolrun.packages", "numpy 2.3.5\n"))[:20], nil},
		"too long":           {header + "\x00\xff\xff\xff\x7f\x10toolrun.packages" + strings.Repeat("a 1\n", 100), nil},
	} {
		require.Equal(t, test.want, script.Packages(bytes.NewReader([]byte(test.module))), name)
	}
}
