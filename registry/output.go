package registry

import (
	"context"

	"github.com/spf13/afero"
)

func callID(call Call) string { return call.ID }

func limitResult(ctx context.Context, r Result, call Call, limits Limits, files afero.Fs) Result {
	if len(r.Content) == 0 && r.Data == nil && !r.IsError() {
		r.Content = []Part{{Text: emptyResult}}
	}
	return r
}
