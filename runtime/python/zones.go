package python

import (
	_ "embed"
	"encoding/binary"
	"math"
	"strings"
	"time"
	_ "time/tzdata" // so that every host has all zones
)

// zone returns the TZif data of a time zone, or nil if there is no such zone.
//
// Go does not hand out the data that it has, but tells all that is in it: when the zone's offset changes, and what it
// is called then. Files of version 2 need only that. Go's own rules go on for ever; here they end with lastYear.
//
// See RFC 8536.
func zone(name string) []byte {
	location, ok := loadZone(name)
	if !ok {
		return nil
	}
	var z zoneData
	last := time.Date(lastYear, 12, 31, 0, 0, 0, 0, time.UTC)
	at := time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC).In(location)
	z.add(nil, at)
	for {
		_, end := at.ZoneBounds()
		if end.IsZero() || end.After(last) || len(z.changes) >= maxChanges {
			return z.encode()
		}
		if !end.After(at) { // at the end of leap years far away, ZoneBounds says that the year has ended before
			end = at.Add(24 * time.Hour)
		}
		at = end
		z.add(&end, at)
	}
}

// zoneNames are the names of all zones in Go's data, with a newline after each.
//
//go:generate sh -c "unzip -Z1 $(go env GOROOT)/lib/time/zoneinfo.zip | grep -v /$ | LC_ALL=C sort > zonenames.txt"
//go:embed zonenames.txt
var zoneNames string

const (
	firstYear, lastYear = 1800, 2100
	maxChanges          = 2000
)

// loadZone loads a zone by its name in the IANA database. Other names that Go accepts are refused: the host's own zone,
// and other files in the host's directory of zones.
func loadZone(name string) (*time.Location, bool) {
	if name == "" || len(name) > 64 || name == "Local" || strings.HasPrefix(name, "local") ||
		strings.Trim(name, zoneLetters) != "" {
		return nil, false
	}
	location, err := time.LoadLocation(name)
	return location, err == nil
}

const zoneLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/"

// zoneData collects what is in a file.
type zoneData struct {
	kinds   []zoneKind
	changes []zoneChange
	names   string // each followed by a NUL
}

type zoneKind struct {
	offset int32 // seconds east of UTC
	summer bool
	name   uint8 // where in names
}

type zoneChange struct {
	at   int64 // seconds since 1970
	kind uint8
}

// add adds the kind of time that is in force at t, from a moment on; nil means from the beginning.
func (z *zoneData) add(from *time.Time, t time.Time) {
	name, offset := t.Zone()
	kind := zoneKind{offset: int32(offset), summer: t.IsDST(), name: z.name(name)}
	index := 0
	for index < len(z.kinds) && z.kinds[index] != kind {
		index++
	}
	if index == len(z.kinds) {
		z.kinds = append(z.kinds, kind)
	}
	last := 0
	if len(z.changes) > 0 {
		last = int(z.changes[len(z.changes)-1].kind)
	}
	if from != nil && index != last {
		z.changes = append(z.changes, zoneChange{at: from.Unix(), kind: uint8(index)})
	}
}

// name returns where a name is in names, to which it is added if it is missing.
func (z *zoneData) name(name string) uint8 {
	name += "\x00"
	at := strings.Index(z.names, name)
	if at < 0 {
		at = len(z.names)
		z.names += name
	}
	return uint8(at)
}

// encode returns a file of version 2, whose part of version 1 is empty.
func (z *zoneData) encode() []byte {
	if len(z.kinds) > math.MaxUint8 || len(z.names) > math.MaxUint8 { // of no zone that there is
		return nil
	}
	header := func(to []byte, changes, kinds, names int) []byte {
		to = append(to, "TZif2"...)
		to = append(to, make([]byte, 15)...)
		for _, n := range []int{0, 0, 0, changes, kinds, names} {
			to = binary.BigEndian.AppendUint32(to, uint32(n))
		}
		return to
	}
	data := header(nil, 0, 1, 1)
	data = append(data, make([]byte, 6+1)...)
	data = header(data, len(z.changes), len(z.kinds), len(z.names))
	for _, c := range z.changes {
		data = binary.BigEndian.AppendUint64(data, uint64(c.at))
	}
	for _, c := range z.changes {
		data = append(data, c.kind)
	}
	for _, k := range z.kinds {
		data = binary.BigEndian.AppendUint32(data, uint32(k.offset))
		summer := byte(0)
		if k.summer {
			summer = 1
		}
		data = append(data, summer, k.name)
	}
	data = append(data, z.names...)
	return append(data, "\n\n"...)
}
