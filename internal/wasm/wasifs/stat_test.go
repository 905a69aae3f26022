package wasifs

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTimesThatAreTooFarAwayAreUnknown(t *testing.T) {
	for _, test := range []struct {
		name string
		time time.Time
		want int64
	}{
		{"the epoch", time.Unix(0, 0), 0},
		{"now and then", time.Unix(1_600_000_000, 5), 1_600_000_000_000_000_005},
		{"before the epoch", time.Unix(-1, 0), -1_000_000_000},
		{"no time", time.Time{}, 0},
		{"the year 1600", time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC), 0},
		{"the year 2300", time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC), 0},
		{"the end of time", time.Unix(math.MaxInt64, 0), 0},
	} {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, nanoseconds(test.time)) })
	}
}

func TestPathsAreResolvedWithinTheRoot(t *testing.T) {
	for _, test := range []struct {
		guest, want string
		isDir       bool
	}{
		{"", "/", false},
		{".", "/", false},
		{"/", "/", true},
		{"..", "/", false},
		{"a", "/a", false},
		{"a/b", "/a/b", false},
		{"/a/b", "/a/b", false},
		{"a//b/", "/a/b", true},
		{"a/.", "/a", true},
		{"./a", "/a", false},
		{"a/../b", "/b", false},
		{"../../etc/passwd", "/etc/passwd", false},
		{"a/../../../b", "/b", false},
		{"/../b", "/b", false},
		{"...", "/...", false},
		{"..a", "/..a", false},
		{`..\a`, `/..\a`, false},
		{"\x00\xff", "/\x00\xff", false},
	} {
		name, isDir := resolve(test.guest)
		require.Equal(t, test.want, name, test.guest)
		require.Equal(t, test.isDir, isDir, test.guest)
	}
}
