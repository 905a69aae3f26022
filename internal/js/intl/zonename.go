package intl

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// The names of time zones, as CLDR has them: those of metazones, those of places, and offsets from Greenwich.
//
// See https://www.unicode.org/reports/tr35/tr35-dates.html#Using_Time_Zone_Names

// Indexes in the lists of names.
const (
	nameGeneric = iota
	nameStandard
	nameDaylight
)

// zoneName writes the zone of a time as a pattern's field asks.
func (f *DateFormat) zoneName(it patternItem, c civil) string {
	t := zoneData.table(f.data)
	_, daylight := f.zone.at(c.time)
	width := "s"
	if it.n >= 4 {
		width = "l"
	}
	name := ""
	switch {
	case f.zone.fixed:
	case it.char == 'z':
		kind := nameStandard
		if daylight {
			kind = nameDaylight
		}
		name = f.specificName(t, width, kind, c.time)
	case it.char == 'v':
		name = f.genericName(t, width, c.time)
		if name == "" {
			name = f.locationName(t)
		}
	}
	if name == "" {
		return f.offsetName(t, c.offset, width == "l")
	}
	return name
}

// offsetName writes an offset: GMT-5, or in its long form GMT-05:00.
func (f *DateFormat) offsetName(t *table, offset int, long bool) string {
	positive, negative, _ := strings.Cut(t.text("hourFormat"), ";")
	pattern := positive
	if offset < 0 {
		pattern, offset = negative, -offset
	}
	hours, minutes, seconds := offset/3600, offset/60%60, offset%60
	var b strings.Builder
	items := parseDatePattern(pattern)
	separator := ""
	for i, it := range items {
		switch it.char {
		case 'H':
			n := 1
			if long {
				n = 2
			}
			b.WriteString(f.number(hours, n))
			if i+1 < len(items) {
				separator = items[i+1].text
			}
			if !long && minutes == 0 && seconds == 0 {
				return fillPattern(t.text("gmtFormat"), b.String()) // without what follows the minutes
			}
		case 'm':
			b.WriteString(separator + f.number(minutes, 2))
			if seconds != 0 {
				b.WriteString(separator + f.number(seconds, 2))
			}
		default:
			if i+1 < len(items) && items[i+1].char == 'm' {
				continue // the separator comes with the minutes
			}
			b.WriteString(it.text)
		}
	}
	return fillPattern(t.text("gmtFormat"), b.String())
}

// specificName returns the name of standard or daylight saving time.
func (f *DateFormat) specificName(t *table, width string, kind int, at int64) string {
	zone := f.zone.name
	if zone == "UTC" {
		zone = "Etc/UTC"
	}
	if name := pick(splitList(t.text("zone/"+zone+"/"+width)), kind); name != "" {
		return name
	}
	if meta := metazone(f.zone.name, at); meta != "" {
		return pick(splitList(t.text("meta/"+meta+"/"+width)), kind)
	}
	return ""
}

// genericName returns the name of a zone's time the whole year round.
func (f *DateFormat) genericName(t *table, width string, at int64) string {
	zone := f.zone.name
	if zone == "UTC" {
		zone = "Etc/UTC"
	}
	if name := pick(splitList(t.text("zone/"+zone+"/"+width)), nameGeneric); name != "" {
		return name
	}
	meta := metazone(f.zone.name, at)
	if meta == "" {
		return ""
	}
	generic := pick(splitList(t.text("meta/"+meta+"/"+width)), nameGeneric)
	offset, daylight := f.zone.at(at)
	if !daylight && !f.zone.changesNear(at) {
		standard := f.specificName(t, width, nameStandard, at)
		if standard != "" && !strings.EqualFold(standard, generic) {
			return standard
		}
	}
	if generic == "" {
		return ""
	}
	golden := goldenZone(meta, regionOf(f.locale))
	if golden != "" && golden != f.zone.name {
		if z, ok := findZone(golden); ok {
			other, otherDaylight := z.at(z.utc(at + int64(offset)*1000))
			if other != offset || otherDaylight != daylight {
				return f.partialName(t, meta, generic)
			}
		}
	}
	return generic
}

// partialName returns the name of a metazone with the place whose time it is.
func (f *DateFormat) partialName(t *table, meta, generic string) string {
	place := ""
	region := times().text("region/" + f.zone.name)
	if region != "" && times().text("golden/"+meta+"/"+region) == f.zone.name {
		place = f.regionName(region)
	} else {
		place = cityName(t, f.zone.name)
	}
	return fillPattern(t.text("fallbackFormat"), place, generic)
}

// locationName returns the name of the time of a place: of a country if it has one zone only.
func (f *DateFormat) locationName(t *table) string {
	region := times().text("region/" + f.zone.name)
	if region == "" {
		return ""
	}
	place := cityName(t, f.zone.name)
	if times().text("primary/"+region) == f.zone.name {
		place = f.regionName(region)
	}
	return fillPattern(t.text("regionFormat"), place)
}

func (f *DateFormat) regionName(region string) string {
	if name := nameData.table(f.data).text("region/" + region); name != "" {
		return name
	}
	return region
}

func cityName(t *table, zone string) string {
	if name := t.text("city/" + zone); name != "" {
		return name
	}
	return strings.ReplaceAll(zone[strings.LastIndexByte(zone, '/')+1:], "_", " ")
}

// goldenZone returns the zone that stands for a metazone in a region.
func goldenZone(meta, region string) string {
	if zone := times().text("golden/" + meta + "/" + region); zone != "" {
		return zone
	}
	return times().text("golden/" + meta + "/001")
}

// changesNear reports whether a zone changes to or from daylight saving time within half a year of a time.
func (z *timeZone) changesNear(at int64) bool {
	const near = 184 * 24 * time.Hour
	t := time.UnixMilli(at).In(z.location)
	start, end := t.ZoneBounds()
	if !start.IsZero() && t.Sub(start) < near {
		if _, daylight := z.at(start.UnixMilli() - 1); daylight {
			return true
		}
	}
	if !end.IsZero() && end.Sub(t) < near {
		if _, daylight := z.at(end.UnixMilli()); daylight {
			return true
		}
	}
	return false
}

// utc returns the time at which a zone's clocks show a local time, both in milliseconds.
func (z *timeZone) utc(local int64) int64 {
	offset, _ := z.at(local)
	at := local - int64(offset)*1000
	offset, _ = z.at(at)
	return local - int64(offset)*1000
}

// A metaPeriod is the time, in milliseconds from the epoch, in which a zone belongs to a metazone.
type metaPeriod struct {
	name     string
	from, to int64
}

var metaCache sync.Map // of []metaPeriod, by the names of zones

// metazone returns the metazone that a zone belongs to at a time.
func metazone(zone string, at int64) string {
	var periods []metaPeriod
	if p, ok := metaCache.Load(zone); ok {
		periods = p.([]metaPeriod)
	} else {
		periods = loadMetazones(zone)
		metaCache.Store(zone, periods)
	}
	for _, p := range periods {
		if at >= p.from && at < p.to {
			return p.name
		}
	}
	return ""
}

func loadMetazones(zone string) []metaPeriod {
	var periods []metaPeriod
	list := splitList(times().text("metazone/" + zone))
	for i := 0; i+2 < len(list); i += 3 {
		periods = append(periods, metaPeriod{list[i], metaTime(list[i+1], 0), metaTime(list[i+2], MaxTime+1)})
	}
	return periods
}

// metaTime reads a time such as 1977-10-20 23:00, in UTC.
func metaTime(text string, missing int64) int64 {
	var y, m, d, hour, minute int
	if n, _ := fmt.Sscanf(text, "%d-%d-%d %d:%d", &y, &m, &d, &hour, &minute); n < 3 {
		return missing
	}
	return gregorianDays(y, m, d)*msPerDay + int64(hour*60+minute)*60000
}
