package intl

// ListPatterns returns the patterns of lists of a locale of the data, for its start, its middle, its end, and two
// elements. The kind is standard, or or unit, with -short or -narrow behind it.
func ListPatterns(locale, kind string) []string {
	data := wordData.table(locale)
	path := "list/" + kind + "/"
	return []string{
		data.text(path + "start"), data.text(path + "middle"), data.text(path + "end"), data.text(path + "2"),
	}
}
