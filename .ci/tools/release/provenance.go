package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// provenance writes how the files were made: a statement of in-toto with SLSA's predicate. It is not signed: whoever
// has an identity signs it.
func provenance(r *release, d *dist) error {
	subjects := []object{}
	for _, name := range slices.Sorted(maps.Keys(d.sums)) {
		subjects = append(subjects, object{"name": name, "digest": object{"sha256": d.sums[name]}})
	}
	built := []string{}
	for _, b := range r.builds {
		built = append(built, b.String())
	}
	return d.addJSON("toolrun-"+r.version+".intoto.json", object{
		"_type":         "https://in-toto.io/Statement/v1",
		"subject":       subjects,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": object{
			"buildDefinition": object{
				"buildType":          repository + "/blob/v" + r.version + "/.ci/release",
				"externalParameters": object{"version": r.version, "platforms": built},
				"resolvedDependencies": []object{
					{"uri": "git+" + repository + "@refs/tags/v" + r.version, "digest": object{"gitCommit": r.commit}},
					{"uri": "pkg:generic/go@" + strings.TrimPrefix(r.goVersion, "go")},
				},
			},
			"runDetails": object{"builder": object{"id": repository + "/blob/v" + r.version + "/.ci/release"}},
		},
	})
}

// checksums writes the SHA-256 of all other files, for sha256sum --check.
func checksums(_ *release, d *dist) error {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d.sums)) {
		fmt.Fprintf(&text, "%s  %s\n", d.sums[name], name)
	}
	return d.add("SHA256SUMS", []byte(text.String()))
}
