// Command gen writes the tables of package intl from CLDR's JSON, which it gets from npm.
//
// Run it in the folder of package intl: go generate, or go run ./gen. It needs npm, and network access the first time:
// the packages are kept in a folder of the user's cache directory. Choose another version of CLDR with the constant
// version; it should be that of the Node against which the results are checked (node -p process.versions.cldr).
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// version is the version of CLDR's npm packages.
const version = "48.0.0"

// An area is one file of tables: the texts that one part of Intl needs.
type area struct {
	name string

	// texts returns an area's texts of a locale by their paths. Locale und is the root.
	texts func(s *source, locale string) (map[string]string, error)

	// one means that the area's texts do not depend on the locale.
	one bool
}

var areas = []area{
	{name: "supplemental", texts: supplemental, one: true},
	{name: "numbers", texts: numbers},
	{name: "currencies", texts: currencies},
	{name: "units", texts: units},
	{name: "words", texts: words},
	{name: "names", texts: names},
	{name: "times", texts: times, one: true},
	{name: "dates", texts: dates},
	{name: "zones", texts: zones},
	{name: "rules", texts: rules, one: true},
}

func main() {
	if err := run("data"); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	s, err := openSource(version)
	if err != nil {
		return err
	}
	locales, err := s.locales()
	if err != nil {
		return err
	}
	total := 0
	for _, a := range areas {
		list := locales
		if a.one {
			list = []string{root}
		}
		data, err := encode(a, s, list)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, a.name+".bin"), data, 0o644); err != nil {
			return err
		}
		fmt.Printf("%-14s %8d bytes\n", a.name, len(data))
		total += len(data)
	}
	for name, table := range map[string]func(*source) ([]byte, error){"collation": rootCollation, "breaks": breaks} {
		data, err := table(s)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, name+".bin"), data, 0o644); err != nil {
			return err
		}
		total += len(data)
		fmt.Printf("%-14s %8d bytes\n", name, len(data))
	}
	fmt.Printf("%-14s %8d bytes, %d locales, CLDR %s\n", "all", total, len(locales), version)
	return nil
}
