package intl

// A skeleton says which fields a pattern has and how each is written.
//
// See https://www.unicode.org/reports/tr35/tr35-dates.html#availableFormats_appendItems
type skeleton struct {
	char        [fieldCount]byte // the letter that was asked for; 0 for a field that is not there
	n           [fieldCount]int  // how many letters
	form        [fieldCount]int  // 0 for a field that is not there
	addedPeriod bool             // the day period was not asked for; it comes with an hour of twelve
}

// parseSkeleton reads a skeleton, or the fields of a pattern.
func parseSkeleton(pattern string) skeleton {
	var s skeleton
	for _, it := range parseDatePattern(pattern) {
		l := letterOf(it.char, it.n)
		if l == nil {
			continue
		}
		s.set(l, it.char, it.n)
	}
	if s.form[fieldMinute] != 0 && s.form[fieldFraction] != 0 && s.form[fieldSecond] == 0 {
		s.set(letterOf('s', 1), 's', 1)
	}
	if s.form[fieldHour] != 0 {
		switch s.char[fieldHour] {
		case 'h', 'K':
			if s.form[fieldDayPeriod] == 0 {
				s.set(letterOf('a', 1), 'a', 1)
				s.addedPeriod = true
			}
		default:
			s.form[fieldDayPeriod], s.char[fieldDayPeriod], s.n[fieldDayPeriod] = 0, 0, 0
		}
	}
	return s
}

func (s *skeleton) set(l *letter, char byte, n int) {
	s.char[l.field], s.n[l.field], s.form[l.field] = char, n, l.form
	if l.form > 0 {
		s.form[l.field] += n
	}
}

// base returns the skeleton without differences in length: each field with the fewest letters for its form.
func (s *skeleton) base() string {
	var b []byte
	for field, char := range s.char {
		if char == 0 || field == fieldDayPeriod && s.addedPeriod {
			continue
		}
		for range letterOf(char, s.n[field]).min {
			b = append(b, char)
		}
	}
	return string(b)
}

// String returns the skeleton as a text in the order of its fields.
func (s *skeleton) String() string {
	var b []byte
	for field, char := range s.char {
		if char == 0 || field == fieldDayPeriod && s.addedPeriod {
			continue
		}
		for range s.n[field] {
			b = append(b, char)
		}
	}
	return string(b)
}

// fields returns the fields that are there, as bits.
func (s *skeleton) fields() (mask int) {
	for field, form := range s.form {
		if form != 0 {
			mask |= 1 << field
		}
	}
	return mask
}

// Distances of fields that only one of two skeletons has.
const (
	extraDistance   = 0x10000
	missingDistance = 0x1000
)

// distance tells how far another skeleton is from the fields of s that are in mask, and which fields it lacks or has
// beside them.
func (s *skeleton) distance(other *skeleton, mask int) (distance, missing, extra int) {
	for field := range fieldCount {
		mine, its := s.form[field], other.form[field]
		if mask&(1<<field) == 0 {
			mine = 0
		}
		switch {
		case mine == its:
		case mine == 0:
			distance += extraDistance
			extra |= 1 << field
		case its == 0:
			distance += missingDistance
			missing |= 1 << field
		case mine > its:
			distance += mine - its
		default:
			distance += its - mine
		}
	}
	return distance, missing, extra
}
