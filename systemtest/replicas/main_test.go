//go:build systemtest

// Package replicas_test has several processes on one store, which are killed and lose their database.
package replicas_test

import (
	"flag"
	"testing"

	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/pgtest"
)

var soak = flag.Bool("soak", false, "run the long versions of tests")

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait for other processes
		panic(err)
	}
	commandtest.Main(withDatabase{m})
}

// withDatabase runs tests, and then stops the database if there is one.
type withDatabase struct{ m *testing.M }

func (w withDatabase) Run() int { return pgtest.Main(w.m) }
