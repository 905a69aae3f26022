package filesystem

import "context"

func (t tree) rename(ctx context.Context, from, to string, overwrite bool) (done string, err error) {
	switch {
	case isMemory(from):
		return "", readOnly("move from", from)
	case isMemory(to) && from != "/": // which cannot be renamed at all
		return "", readOnly("move to", to)
	}
	return t.Rename(ctx, from, to, t.MayReplace(from, to, overwrite))
}

func (t tree) copy(ctx context.Context, from, to string, overwrite bool) (done string, err error) {
	if isMemory(to) {
		return "", readOnly("write to", to)
	}
	return t.Copy(ctx, from, to, overwrite)
}
