package javascript

import (
	"fmt"
	"sync"

	"github.com/toolrun/toolrun/internal/js/module"
)

// effects remember which modules have effects while they are loaded, so that they are not loaded before the script that
// wants them. It is safe for concurrent use.
type effects struct {
	mu    sync.Mutex
	known map[string]bool // by whose they are, and their list
}

// maxEffects is how many lists of modules are remembered. After that, all are forgotten.
const maxEffects = 1000

func (e *effects) has(owner string, imports []module.Import) bool {
	if len(imports) == 0 {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known[effectsKey(owner, imports)]
}

func (e *effects) add(owner string, imports []module.Import) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil || len(e.known) >= maxEffects {
		e.known = map[string]bool{}
	}
	e.known[effectsKey(owner, imports)] = true
}

func effectsKey(owner string, imports []module.Import) string {
	return fmt.Sprintf("%q%+v", owner, imports)
}
