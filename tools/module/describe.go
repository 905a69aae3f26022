package module

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
)

// describeTime is how long a module may take to describe itself.
const describeTime = 10 * time.Second

// ErrNotDescribed means that a module does not describe itself.
var ErrNotDescribed = errors.New("the module does not describe itself")

// Describe asks a module for its manifest, as programs made with package guest/tool answer, and as [command.Command]
// says how. It runs without files, environment, clock and randomness. The error wraps [ErrNotDescribed] if the answer
// is not a manifest, and is a [*command.RefusedError] if the module cannot be run.
func Describe(ctx context.Context, engine *sandbox.Engine, code []byte) (*Manifest, error) {
	loaded, err := command.Load(ctx, engine, code, &command.Options{NoClock: true, NoRandom: true})
	if err != nil {
		return nil, err
	}
	result, err := loaded.Describe(ctx, sandbox.RunOptions{Limits: sandbox.Limits{Time: describeTime}})
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotDescribed, err)
	}
	if output := bytes.TrimSpace(result.Output); result.Cut > 0 || len(output) == 0 || output[0] != '{' {
		return nil, fmt.Errorf("%w: what it prints is not a manifest", ErrNotDescribed)
	}
	m, err := ParseManifest(result.Output)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotDescribed, err)
	}
	if m.Language {
		return nil, fmt.Errorf("%w: it says that it is a language", ErrNotDescribed)
	}
	m.SHA256 = ""
	return m, nil
}
