package registry

import (
	"fmt"

	"github.com/toolrun/toolrun/tool"
)

// mergeOptions returns the defaults, overridden by stored values, overridden by given ones. It ignores values of
// unknown options, and stored values that an option does not allow, or no longer allows, so that a project stays
// usable.
func mergeOptions(definitions []tool.Option, defaults tool.Options, stored, given map[string]any) (tool.Options,
	error) {
	var merged map[string]any
	for i, values := range []map[string]any{stored, given} {
		lenient := i == 0
		if len(values) == 0 {
			continue
		}
		for i := range definitions {
			o := &definitions[i]
			v, ok := values[o.ID]
			if !ok {
				continue
			}
			v, err := o.Value(v)
			if err != nil && lenient {
				continue
			}
			if err != nil {
				return tool.Options{}, fmt.Errorf("option %q: %w", o.ID, err)
			}
			if merged == nil {
				merged = defaults.Map() // which has each option
			}
			merged[o.ID] = v
		}
	}
	if merged == nil {
		return defaults, nil
	}
	return tool.NewOptions(merged), nil
}
