package registry

import "context"

// Accepts reports whether the schema accepts JSON without decoding it.
func (s *Schema) Accepts(data []byte) bool { return s.compiled.Accepts(data) }

// Coerce coerces an input, as Dispatch does if Accepts returns false.
func (s *Schema) Coerce(object map[string]any) bool {
	return s.compiled.Coerce(context.Background(), object, DefaultDepth)
}
