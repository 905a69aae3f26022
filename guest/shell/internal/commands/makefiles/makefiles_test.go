package makefiles_test

import (
	"testing"

	"github.com/toolrun/toolrun/guest/shell/internal/shelltest"
)

func TestCommands(t *testing.T) { shelltest.Run(t, "testdata/*.txt") }
