package intl

import "strings"

// maximize adds the script and the region that the language is likely to have.
func (t *localeTag) maximize() {
	data := supplemental()
	for _, key := range []string{
		join(t.language, t.script, t.region),
		join(t.language, "", t.region),
		join(t.language, t.script, ""),
		t.language,
		join(root, t.script, ""),
	} {
		likely := data.text("likely/" + key)
		if likely == "" || key == root && t.language != root {
			continue
		}
		parts := strings.Split(likely, "-")
		if len(parts) != 3 {
			continue
		}
		if t.language == root {
			t.language = parts[0]
		}
		if t.script == "" {
			t.script = parts[1]
		}
		if t.region == "" {
			t.region = parts[2]
		}
		return
	}
}

// minimize removes the script and the region if maximize would add them again.
func (t *localeTag) minimize() {
	full := localeTag{language: t.language, script: t.script, region: t.region}
	full.maximize()
	for _, short := range []localeTag{
		{language: full.language},
		{language: full.language, region: full.region},
		{language: full.language, script: full.script},
	} {
		again := short
		again.maximize()
		if again.language == full.language && again.script == full.script && again.region == full.region {
			t.language, t.script, t.region = short.language, short.script, short.region
			return
		}
	}
	t.language, t.script, t.region = full.language, full.script, full.region
}

func join(language, script, region string) string {
	if script != "" {
		language += "-" + script
	}
	if region != "" {
		language += "-" + region
	}
	return language
}
