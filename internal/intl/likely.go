package intl

import "strings"

// Maximize adds the script and the region that the language is likely to have.
func (t *Tag) Maximize() {
	data := supplemental()
	for _, key := range []string{
		join(t.Language, t.Script, t.Region),
		join(t.Language, "", t.Region),
		join(t.Language, t.Script, ""),
		t.Language,
		join(root, t.Script, ""),
	} {
		likely := data.text("likely/" + key)
		if likely == "" || key == root && t.Language != root {
			continue
		}
		parts := strings.Split(likely, "-")
		if len(parts) != 3 {
			continue
		}
		if t.Language == root {
			t.Language = parts[0]
		}
		if t.Script == "" {
			t.Script = parts[1]
		}
		if t.Region == "" {
			t.Region = parts[2]
		}
		return
	}
}

// Minimize removes the script and the region if Maximize would add them again.
func (t *Tag) Minimize() {
	full := Tag{Language: t.Language, Script: t.Script, Region: t.Region}
	full.Maximize()
	for _, short := range []Tag{
		{Language: full.Language},
		{Language: full.Language, Region: full.Region},
		{Language: full.Language, Script: full.Script},
	} {
		again := short
		again.Maximize()
		if again.Language == full.Language && again.Script == full.Script && again.Region == full.Region {
			t.Language, t.Script, t.Region = short.Language, short.Script, short.Region
			return
		}
	}
	t.Language, t.Script, t.Region = full.Language, full.Script, full.Region
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
