package intl

import (
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // so that every host has all zones
)

// A timeZone is a zone of the IANA database or a fixed offset.
type timeZone struct {
	name     string // as CLDR calls it
	location *time.Location
	fixed    bool // an offset
	inverted bool // its summer time is the standard one: what Go calls daylight saving time is the winter
}

var zoneCache sync.Map // of *timeZone by lower-case name; only for names of the database

// maxZoneName is the longest name of a zone that is looked at, in bytes.
const maxZoneName = 64

// findZone returns the zone of a name, whose case does not matter, or of an offset such as +01:00.
func findZone(name string) (*timeZone, bool) {
	if name == "" || len(name) > maxZoneName {
		return nil, false
	}
	if name[0] == '+' || name[0] == '-' {
		return offsetZone(name)
	}
	key := strings.ToLower(name)
	if z, ok := zoneCache.Load(key); ok {
		return z.(*timeZone), true
	}
	z, ok := loadZone(key)
	if ok {
		zoneCache.Store(key, z)
	}
	return z, ok
}

func loadZone(key string) (*timeZone, bool) {
	canonical := times().text("name/" + key)
	switch {
	case canonical == "" || canonical == "Etc/Unknown":
		return nil, false
	case slices.Contains([]string{"Etc/UTC", "Etc/GMT"}, canonical):
		return &timeZone{name: "UTC", location: time.UTC}, true
	}
	location, err := time.LoadLocation(canonical)
	if err != nil {
		return nil, false
	}
	z := &timeZone{name: canonical, location: location}
	switch canonical {
	case "Europe/Dublin", "Africa/Casablanca", "Africa/El_Aaiun":
		z.inverted = true
	}
	return z, true
}

// offsetZone returns the zone of an offset: +hh, +hhmm or +hh:mm.
func offsetZone(text string) (*timeZone, bool) {
	digits := text[1:]
	if len(digits) == 5 && digits[2] == ':' {
		digits = digits[:2] + digits[3:]
	}
	if len(digits) == 2 {
		digits += "00"
	}
	if len(digits) != 4 || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	hours, minutes := twoDigits(digits[:2]), twoDigits(digits[2:])
	if hours > 23 || minutes > 59 {
		return nil, false
	}
	offset, sign := hours*3600+minutes*60, "+"
	if text[0] == '-' && offset != 0 {
		offset, sign = -offset, "-"
	}
	name := sign + digits[:2] + ":" + digits[2:]
	return &timeZone{name: name, location: time.FixedZone(name, offset), fixed: true}, true
}

// at returns a zone's offset in seconds at a time, and whether it is daylight saving time.
func (z *timeZone) at(ms int64) (offset int, daylight bool) {
	t := time.UnixMilli(ms).In(z.location)
	_, offset = t.Zone()
	daylight = t.IsDST()
	if z.inverted {
		daylight = z.invertedDaylight(t, offset, daylight)
	}
	return offset, daylight
}

// invertedDaylight tells whether it is daylight saving time in a zone whose law calls the winter an exception.
func (z *timeZone) invertedDaylight(t time.Time, offset int, daylight bool) bool {
	standard := 0 // of the winter, in seconds: all these zones have that of Greenwich
	year := t.Year()
	if z.name == "Europe/Dublin" {
		if year < 1969 {
			return daylight
		}
		return offset != standard
	}
	if year < 2018 {
		return daylight
	}
	return offset != standard
}

func init() {
	supportedValues["timeZone"] = zoneNames
	supportedValues["calendar"] = func() []string {
		var list []string
		for _, name := range calendarNames {
			list = append(list, name)
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
}

// zoneNames returns the names of the zones of places, sorted.
func zoneNames() []string {
	var list []string
	times().each("name/", func(_, canonical string) {
		if !strings.HasPrefix(canonical, "Etc/") {
			list = append(list, canonical)
		}
	})
	slices.Sort(list)
	return slices.Compact(list)
}
