package registry

import "context"

// Accepts is whether the schema accepts JSON without decoding it.
func (s *Schema) Accepts(data []byte) bool { return s.compiled.Accepts(data) }

// Coerce is what happens to an input that has not been accepted so.
func (s *Schema) Coerce(object map[string]any) bool {
	return s.compiled.Coerce(context.Background(), object, DefaultDepth)
}
