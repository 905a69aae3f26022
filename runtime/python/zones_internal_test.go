package python

import (
	"archive/zip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestZoneNames compares the names with Go's own data.
func TestZoneNames(t *testing.T) {
	names := strings.Fields(zoneNames)
	for _, name := range names {
		_, ok := loadZone(name)
		require.True(t, ok, name)
	}
	data, err := zip.OpenReader(filepath.Join(os.Getenv("GOROOT"), "lib", "time", "zoneinfo.zip"))
	if err != nil { // go test sets GOROOT
		t.Skip("Go's data is not here: ", err)
	}
	defer data.Close()
	for _, file := range data.File {
		if !strings.HasSuffix(file.Name, "/") {
			require.True(t, slices.Contains(names, file.Name), "%s is missing: run go generate", file.Name)
		}
	}
}
