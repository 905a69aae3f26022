package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// listMark separates the members of a list in a text.
const listMark = "\x1f"

// The fields that a pattern can lack, as CLDR calls them in appendItems, and their names in dateFields.
var appendFields = []struct{ item, field string }{
	{"Era", "era"}, {"Year", "year"}, {"Quarter", "quarter"}, {"Month", "month"}, {"Week", "week"},
	{"Day-Of-Week", "weekday"}, {"Day", "day"}, {"Hour", "hour"}, {"Minute", "minute"}, {"Second", "second"},
	{"Timezone", "zone"},
}

// dates returns the patterns and names of the Gregorian calendar, and the patterns that the calendars without their own
// have ("generic").
func dates(s *source, locale string) (map[string]string, error) {
	out := map[string]string{}
	for _, calendar := range []string{"gregorian", "generic", "iso8601"} {
		file := "ca-" + calendar
		if calendar == "iso8601" {
			file = "ca-generic"
		}
		object, err := s.main("dates", locale, file, "dates", "calendars", calendar)
		if err != nil {
			return nil, err
		}
		if object == nil {
			continue
		}
		prefix := calendar[:2] + "/" // gr/, ge/ or is/
		calendarPatterns(out, prefix, object)
		if calendar == "gregorian" {
			calendarNames(out, prefix, object)
		}
	}
	if out["gr/mon/f/w"] == "" {
		return nil, fmt.Errorf("no names of months")
	}
	for _, calendar := range calendars {
		object, err := s.main("cal-"+calendar, locale, "ca-"+calendar, "dates", "calendars", calendar)
		if err != nil {
			return nil, err
		}
		own := map[string]string{}
		language, _, _ := strings.Cut(locale, "-")
		home := homes[calendar] == language
		calendarPatterns(own, "", object)
		calendarNames(own, "", object)
		for key, value := range own {
			// Most of these packages are old: of what calendars share, the others have later data.
			kind, _, _ := strings.Cut(key, "/")
			switch {
			case kind == "era":
			case kind == "mon" && (calendar == "persian" || calendar == "islamic"):
			case kind == "date" && (home || calendar == "persian" || calendar == "islamic"):
			case kind == "intervals" && (calendar == "buddhist" || calendar == "persian"):
			case kind == "formats" && !strings.ContainsAny(key[len("formats/"):], "hHmsB") &&
				(calendar == "buddhist" || calendar == "persian"):
			default:
				continue
			}
			if strings.Trim(value, listMark) == "" || value == out["ge/"+key] ||
				value == out["gr/"+key] && out["ge/"+key] == "" {
				continue
			}
			out[calendar[:3]+"/"+key] = value
		}
	}
	fields, err := s.main("dates", locale, "dateFields", "dates", "fields")
	if err != nil {
		return nil, err
	}
	names := make([]string, len(appendFields))
	for i, f := range appendFields {
		names[i] = text(object(fields, f.field), "displayName")
	}
	names = append(names, text(object(fields, "dayperiod"), "displayName"))
	out["fields"] = strings.Join(names, listMark)
	return out, nil
}

// calendars are those with patterns or names of their own. What they share with others is not written twice.
var calendars = []string{"buddhist", "japanese", "roc", "persian", "islamic"}

// homes are the languages in which a calendar that differs only by its years has patterns of its own.
var homes = map[string]string{"buddhist": "th", "japanese": "ja", "roc": "zh"}

var styles = []string{"full", "long", "medium", "short"}

// calendarPatterns adds the patterns of a calendar.
func calendarPatterns(out map[string]string, prefix string, calendar map[string]any) {
	for key, name := range map[string]string{"dateFormats": "date", "timeFormats": "time"} {
		out[prefix+name] = texts(object(calendar, key), styles)
	}
	out[prefix+"glue"] = texts(object(calendar, "dateTimeFormats"), styles)
	out[prefix+"at"] = texts(object(calendar, "dateTimeFormats-atTime", "standard"), styles)

	formats := object(calendar, "dateTimeFormats")
	list := object(formats, "availableFormats")
	for skeleton := range list {
		if !strings.Contains(skeleton, "-") { // neither in ASCII nor with a plural
			out[prefix+"formats/"+skeleton] = text(list, skeleton)
		}
	}

	list = object(formats, "intervalFormats")
	var intervals []string
	for _, skeleton := range slices.Sorted(maps.Keys(list)) {
		patterns, ok := list[skeleton].(map[string]any)
		if !ok || strings.Contains(skeleton, "-") {
			continue
		}
		for _, field := range slices.Sorted(maps.Keys(patterns)) {
			if !strings.Contains(field, "-") {
				intervals = append(intervals, skeleton+"/"+field, text(patterns, field))
			}
		}
	}
	out[prefix+"intervals"] = strings.Join(intervals, listMark)
	out[prefix+"interval"] = text(list, "intervalFormatFallback")

	items := make([]string, len(appendFields))
	for i, f := range appendFields {
		items[i] = text(object(formats, "appendItems"), f.item)
	}
	out[prefix+"append"] = strings.Join(items, listMark)
}

var (
	widths   = map[string]string{"abbreviated": "a", "narrow": "n", "wide": "w", "short": "s"}
	weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	periods  = []string{"am", "pm", "midnight", "noon", "morning1", "morning2", "afternoon1", "afternoon2",
		"evening1", "evening2", "night1", "night2"}
)

// calendarNames adds the names of months, days, day periods and eras.
func calendarNames(out map[string]string, prefix string, calendar map[string]any) {
	for key, short := range map[string]string{"format": "f", "stand-alone": "s"} {
		for width, letter := range widths {
			path := short + "/" + letter
			if months := object(calendar, "months", key, width); months != nil {
				out[prefix+"mon/"+path] = texts(months, numbered(months, 1))
			}
			if days := object(calendar, "days", key, width); days != nil {
				out[prefix+"day/"+path] = texts(days, weekdays)
			}
			if names := object(calendar, "dayPeriods", key, width); names != nil && short == "f" {
				out[prefix+"period/"+letter] = texts(names, periods)
			}
		}
	}
	for key, letter := range map[string]string{"eraNames": "w", "eraAbbr": "a", "eraNarrow": "n"} {
		if eras := object(calendar, "eras", key); eras != nil {
			out[prefix+"era/"+letter] = texts(eras, numbered(eras, 0))
		}
	}
}

// numbered returns the keys of an object that are numbers from first, in order.
func numbered(o map[string]any, first int) []string {
	var keys []string
	for i := first; ; i++ {
		key := strconv.Itoa(i)
		if _, ok := o[key]; !ok {
			return keys
		}
		keys = append(keys, key)
	}
}

// zones returns the names of time zones.
func zones(s *source, locale string) (map[string]string, error) {
	names, err := s.main("dates", locale, "timeZoneNames", "dates", "timeZoneNames")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, key := range []string{"hourFormat", "gmtFormat", "gmtZeroFormat", "regionFormat", "fallbackFormat"} {
		out[key] = text(names, key)
	}
	for name, zone := range object(names, "metazone") {
		zoneNames(out, "meta/"+name, zone.(map[string]any))
	}
	eachZone(object(names, "zone"), "", func(name string, zone map[string]any) {
		zoneNames(out, "zone/"+name, zone)
		if city := text(zone, "exemplarCity"); city != "" {
			out["city/"+name] = city
		}
	})
	return out, nil
}

// eachZone calls do for all zones of a tree whose inner nodes are parts of their names.
func eachZone(tree map[string]any, prefix string, do func(name string, zone map[string]any)) {
	for key, value := range tree {
		node, ok := value.(map[string]any)
		switch {
		case !ok:
		case node["_type"] == "zone":
			do(prefix+key, node)
		default:
			eachZone(node, prefix+key+"/", do)
		}
	}
}

// zoneNames adds a zone's names: generic, standard and daylight.
func zoneNames(out map[string]string, path string, zone map[string]any) {
	for width, letter := range map[string]string{"long": "l", "short": "s"} {
		if names := object(zone, width); names != nil {
			out[path+"/"+letter] = texts(names, []string{"generic", "standard", "daylight"})
		}
	}
}

// times returns what does not depend on the locale: which hours regions use, when day periods are, which metazone a
// zone is in at what time, and other names of zones.
func times(s *source, _ string) (map[string]string, error) {
	out := map[string]string{}
	hours, err := s.supplemental("timeData", "timeData")
	if err != nil {
		return nil, err
	}
	for region, value := range hours {
		out["hours/"+strings.ReplaceAll(region, "_", "-")] = text(value.(map[string]any), "_preferred")
	}
	rules, err := s.supplemental("dayPeriods", "dayPeriodRuleSet")
	if err != nil {
		return nil, err
	}
	for language, value := range rules {
		var list []string
		for period, rule := range value.(map[string]any) {
			r := rule.(map[string]any)
			if at := text(r, "_at"); at != "" {
				list = append(list, period+" "+at[:2])
			} else {
				list = append(list, period+" "+text(r, "_from")[:2]+" "+text(r, "_before")[:2])
			}
		}
		slices.Sort(list)
		out["periods/"+language] = strings.Join(list, listMark)
	}
	preferred, err := s.supplemental("calendarPreferenceData", "calendarPreferenceData")
	if err != nil {
		return nil, err
	}
	for region, value := range preferred {
		if list, ok := value.([]any); ok && len(list) > 0 {
			out["calendar/"+region] = list[0].(string)
		}
	}
	eras, err := s.supplemental("calendarData", "calendarData", "japanese", "eras")
	if err != nil {
		return nil, err
	}
	var starts []string
	for _, key := range numbered(eras, 0) {
		starts = append(starts, text(object(eras, key), "_start"))
	}
	out["japanese"] = strings.Join(starts, listMark)
	weeks, err := s.supplemental("weekData", "weekData", "firstDay")
	if err != nil {
		return nil, err
	}
	for region, day := range weeks {
		out["week/"+region] = day.(string)
	}
	return out, zoneTables(s, out)
}

func zoneTables(s *source, out map[string]string) error {
	tree, err := s.supplemental("metaZones", "metaZones", "metazoneInfo", "timezone")
	if err != nil {
		return err
	}
	metazones(out, tree, "")
	all, err := s.read("cldr-core/supplemental/metaZones.json", "supplemental", "metaZones")
	if err != nil {
		return err
	}
	list, _ := all["metazones"].([]any)
	for _, item := range list {
		zone := object(item.(map[string]any), "mapZone")
		out["golden/"+text(zone, "_other")+"/"+text(zone, "_territory")] = text(zone, "_type")
	}
	primary, err := s.supplemental("primaryZones", "primaryZones")
	if err != nil {
		return err
	}
	for region, zone := range primary {
		out["primary/"+region] = zone.(string)
	}
	keys, err := s.read("cldr-bcp47/bcp47/timezone.json", "keyword", "u", "tz")
	if err != nil {
		return err
	}
	count := map[string]int{}
	regions := map[string]string{}
	for code, value := range keys {
		zone, ok := value.(map[string]any)
		if !ok || zone["_deprecated"] != nil {
			continue
		}
		names := strings.Fields(text(zone, "_alias"))
		if len(names) == 0 {
			continue
		}
		for _, name := range names {
			out["name/"+strings.ToLower(name)] = names[0]
		}
		region := text(zone, "_region")
		if region == "" && len(code) >= 5 {
			region = strings.ToUpper(code[:2])
		}
		if region != "" && region != "001" && !strings.HasPrefix(names[0], "Etc/") {
			regions[names[0]] = region
			count[region]++
		}
	}
	for name, region := range regions {
		out["region/"+name] = region
		if count[region] == 1 {
			out["primary/"+region] = name
		}
	}
	return nil
}

// metazones adds the metazones of each zone with the time (UTC) at which each ends.
func metazones(out map[string]string, tree map[string]any, prefix string) {
	for key, value := range tree {
		switch v := value.(type) {
		case map[string]any:
			metazones(out, v, prefix+key+"/")
		case []any:
			var list []string
			for _, item := range v {
				use := object(item.(map[string]any), "usesMetazone")
				list = append(list, text(use, "_mzone"), text(use, "_from"), text(use, "_to"))
			}
			out["metazone/"+prefix+key] = strings.Join(list, listMark)
		}
	}
}

func object(o map[string]any, keys ...string) map[string]any {
	for _, key := range keys {
		o, _ = o[key].(map[string]any)
	}
	return o
}

func text(o map[string]any, key string) string {
	switch v := o[key].(type) {
	case string:
		return v
	case map[string]any: // with a numbering system of its own
		t, _ := v["_value"].(string)
		return t
	}
	return ""
}

func texts(o map[string]any, keys []string) string {
	list := make([]string, len(keys))
	for i, key := range keys {
		list[i] = text(o, key)
	}
	return strings.Join(list, listMark)
}
