package vfs

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// An Opener opens stores of one kind by their places, such as directories or the URLs of databases. A program links
// those kinds of stores whose openers it uses: local.Opener, postgres.Opener, partition.Opener.
type Opener struct {
	// Opens reports whether a place is of this kind. It does not look whether anything is there.
	Opens func(place string) bool
	// Open opens the store at a place of this kind, and makes what is missing. The context is for opening only. Nil
	// options are the defaults.
	Open func(ctx context.Context, place string, options *Options) (Store, error)
}

// OpenStore opens the store at a place with the first of the openers that opens such places. If there is none, the
// error is [errors.ErrUnsupported], without the place, which may have a password.
func OpenStore(ctx context.Context, place string, options *Options, openers ...Opener) (Store, error) {
	for _, o := range openers {
		if o.Opens(place) {
			store, err := o.Open(ctx, place, options)
			if err != nil {
				return nil, err // and no nil of the opener's own type
			}
			return store, nil
		}
	}
	kind := "directories"
	if scheme, _, ok := strings.Cut(place, "://"); ok {
		kind = scheme + ":// URLs"
	}
	return nil, fmt.Errorf("no opener for %s: %w", kind, errors.ErrUnsupported)
}
