package vfs_test

import (
	"os"
	"testing"

	"github.com/toolrun/toolrun/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
