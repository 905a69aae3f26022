package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// maxConfigFile is the largest configuration file in bytes.
const maxConfigFile = 1 << 20

// applyConfig sets the flags that the command line has not set as a file says, which is YAML or JSON.
func applyConfig(cmd *cobra.Command, file string) error {
	data, err := hostOf(cmd).readHead(file, maxConfigFile+1)
	if err != nil {
		return err
	}
	if len(data) > maxConfigFile {
		return fmt.Errorf("%s: a configuration has at most %d KiB", file, maxConfigFile>>10)
	}
	var settings map[string]any
	decoder := yaml.NewDecoder(bytes.NewReader(data)) // JSON is YAML, too
	if err := decoder.Decode(&settings); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := decoder.Decode(new(any)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: unexpected data after the settings", file)
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		flag := cmd.Flags().Lookup(name)
		if flag == nil || name == "config" || name == "help" {
			return fmt.Errorf("%s: unknown setting %q: settings have the names of the flags", file, name)
		}
		if flag.Changed {
			continue // the command line has precedence
		}
		if err := setFlag(cmd, flag, settings[name]); err != nil {
			return fmt.Errorf("%s: %s: %w", file, name, err)
		}
	}
	return nil
}

// setFlag sets a flag to a value of a configuration: a list for flags that can be repeated, else a scalar.
func setFlag(cmd *cobra.Command, flag *pflag.Flag, value any) error {
	list, repeats := flag.Value.(pflag.SliceValue)
	values, isList := value.([]any)
	switch {
	case isList && !repeats:
		return errors.New("one value is expected, not a list")
	case !isList:
		values = []any{value}
	}
	var texts []string
	for _, value := range values {
		switch value.(type) {
		case string, bool, int, float64:
			texts = append(texts, fmt.Sprint(value))
		default:
			return errors.New("a text, a number, true or false is expected")
		}
	}
	if !repeats {
		return cmd.Flags().Set(flag.Name, texts[0])
	}
	flag.Changed = true
	return list.Replace(texts)
}
