package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// root is the locale from which all others inherit.
const root = "und"

// packages are the npm packages that hold the data.
var packages = []string{"cldr-core", "cldr-numbers-full", "cldr-dates-full", "cldr-misc-full",
	"cldr-localenames-full", "cldr-units-full",
	"cldr-bcp47", "cldr-cal-buddhist-full", "cldr-cal-japanese-full", "cldr-cal-roc-full", "cldr-cal-persian-full",
	"cldr-cal-islamic-full"}

// versions are those of packages that are not taken in version: there is none, or ICU has a later one.
var versions = map[string]string{
	"cldr-bcp47": "48.2.0", "cldr-dates-full": "48.1.0", "cldr-cal-islamic-full": "48.2.0",
	"cldr-cal-persian-full": "46.1.0", "cldr-cal-buddhist-full": "39.0.0", "cldr-cal-japanese-full": "39.0.0",
	"cldr-cal-roc-full": "28.0.0",
}

// languages are those whose locales are taken.
var languages = strings.Fields(`
	af ar bg bn ca cs da de el en es et fa fi fil fr he hi hr hu id is it ja ko lt lv ms nb nl nn no
	pl pt ro ru sk sl sr sv sw ta te th tr uk ur vi zh`)

// source reads CLDR's JSON.
type source struct {
	folder string
	files  map[string]map[string]any
}

// openSource returns the data of a version. It is fetched if the cache does not have it.
func openSource(version string) (*source, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	s := &source{folder: filepath.Join(cache, "toolrun-cldr", version), files: map[string]map[string]any{}}
	for _, name := range packages {
		if err := s.fetch(name, version); err != nil {
			return nil, fmt.Errorf("fetch %s: %w", name, err)
		}
	}
	return s, nil
}

func (s *source) fetch(name, version string) error {
	folder := filepath.Join(s.folder, name)
	if other := versions[name]; other != "" {
		version = other
	}
	have, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err == nil && bytes.Contains(have, []byte(`"`+version+`"`)) {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	pack := exec.Command("npm", "pack", "--silent", name+"@"+version)
	pack.Dir, pack.Stderr = s.folder, os.Stderr
	out, err := pack.Output()
	if err != nil {
		return err
	}
	archive := strings.TrimSpace(string(out))
	unpack := exec.Command("tar", "-xzf", archive, "-C", name, "--strip-components=1")
	unpack.Dir, unpack.Stderr = s.folder, os.Stderr
	if err := unpack.Run(); err != nil {
		return err
	}
	return os.Remove(filepath.Join(s.folder, archive))
}

// read returns the object at a path of keys in a JSON file. It is nil if the file or the object is not there.
func (s *source) read(file string, keys ...string) (map[string]any, error) {
	object, ok := s.files[file]
	if !ok {
		data, err := os.ReadFile(filepath.Join(s.folder, file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			if err := json.Unmarshal(data, &object); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
		if len(s.files) > 200 { // enough to keep what several areas read
			clear(s.files)
		}
		s.files[file] = object
	}
	for _, key := range keys {
		object, _ = object[key].(map[string]any)
	}
	return object, nil
}

// supplemental returns an object of a file of supplemental data.
func (s *source) supplemental(file string, keys ...string) (map[string]any, error) {
	object, err := s.read("cldr-core/supplemental/"+file+".json", append([]string{"supplemental"}, keys...)...)
	if err == nil && object == nil {
		err = fmt.Errorf("%s has no %s", file, strings.Join(keys, "/"))
	}
	return object, err
}

// main returns an object of a file of a locale's data.
func (s *source) main(pkg, locale, file string, keys ...string) (map[string]any, error) {
	return s.read("cldr-"+pkg+"-full/main/"+locale+"/"+file+".json", append([]string{"main", locale}, keys...)...)
}

// locales returns the locales whose data is taken: each parent before its children.
func (s *source) locales() ([]string, error) {
	coverage, err := s.read("cldr-core/coverageLevels.json", "effectiveCoverageLevels")
	if err != nil {
		return nil, err
	}
	all, err := os.ReadDir(filepath.Join(s.folder, "cldr-numbers-full", "main"))
	if err != nil {
		return nil, err
	}
	list := []string{}
	for _, entry := range all {
		name := entry.Name()
		language, _, _ := strings.Cut(name, "-")
		// ICU has the locales of at least basic coverage; a locale without a level of its own is as good as its
		// language.
		if slices.Contains(languages, language) && covered(coverage, name) {
			list = append(list, name)
		}
	}
	depth := func(locale string) (n int) {
		for ; locale != root; locale = s.parent(locale) {
			n++
		}
		return n
	}
	slices.SortStableFunc(list, func(a, b string) int { return depth(a) - depth(b) })
	return append([]string{root}, list...), nil
}

// covered reports whether ICU has a locale: one with a script is there only if CLDR gives it a level.
func covered(coverage map[string]any, locale string) bool {
	if coverage[locale] != nil {
		return true
	}
	parts := strings.Split(locale, "-")
	if len(parts) == 3 && len(parts[1]) == 4 {
		return coverage[parts[0]+"-"+parts[1]] != nil
	}
	return len(parts) == 2 && len(parts[1]) != 4 && coverage[parts[0]] != nil
}

// parent returns the locale that a locale inherits from.
func (s *source) parent(locale string) string {
	parents, _ := s.supplemental("parentLocales", "parentLocales", "parentLocale")
	if parent, ok := parents[locale].(string); ok {
		return parent
	}
	if cut := strings.LastIndexByte(locale, '-'); cut >= 0 {
		return locale[:cut]
	}
	return root
}
