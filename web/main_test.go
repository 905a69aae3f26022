package web_test

import (
	"context"
	"os"
	"testing"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// engine runs the code of all tests.
var engine *enginetest.Engine

func TestMain(m *testing.M) {
	engine = enginetest.New(sandbox.EngineOptions{})
	code := m.Run()
	if err := engine.Close(context.Background()); err != nil {
		panic(err)
	}
	os.Exit(code)
}
