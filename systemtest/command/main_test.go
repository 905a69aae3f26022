//go:build systemtest

package command_test

import (
	"flag"
	"testing"

	"github.com/toolrun/toolrun/internal/test/commandtest"
)

// soak makes tests that look for rare failures run for minutes instead of seconds.
var soak = flag.Bool("soak", false, "run the long versions of tests")

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil { // they wait for other processes
		panic(err)
	}
	commandtest.Main(m)
}
