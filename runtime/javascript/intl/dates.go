package intl

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/toolrun/toolrun/internal/js/intl"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

func dateResolved(c *host.Call) {
	if f, err := newDateFormat(text(c, 0, maxTags)); err == nil {
		c.Return(map[string]any{"list": f.Resolved()}, nil)
	}
}

func newDateFormat(text string) (*intl.DateFormat, error) {
	var options intl.DateOptions
	if err := json.Unmarshal([]byte(text), &options); err != nil {
		return nil, host.Errorf("the options are malformed")
	}
	return intl.CachedDateFormat(text, options)
}

// dateFormat returns the formatter and the times that the arguments give. It is nil if the call has failed.
func dateFormat(c *host.Call, count int) (f *intl.DateFormat, times [2]float64) {
	options := text(c, 0, maxTags)
	for i := range count {
		var err error
		times[i], err = strconv.ParseFloat(text(c, 1+i, maxName), 64)
		if err != nil || math.Abs(times[i]) > intl.MaxTime {
			c.Fail(&host.Failure{Name: "RangeError", Message: "Invalid time value"})
		}
	}
	if c.Fail(nil) {
		return nil, times
	}
	f, ok := intl.KeptDateFormat(options)
	if !ok {
		var err error
		if f, err = newDateFormat(options); malformed(c, err) {
			return nil, times
		}
	}
	return f, times
}

func date(c *host.Call) {
	if f, times := dateFormat(c, 1); f != nil {
		c.Return(f.Format(times[0]), nil)
	}
}

func dateParts(c *host.Call) {
	if f, times := dateFormat(c, 1); f != nil {
		returnParts(c, f.Parts(times[0]), nil)
	}
}

func dateRange(c *host.Call) {
	if f, times := dateFormat(c, 2); f != nil {
		c.Return(f.FormatRange(times[0], times[1]), nil)
	}
}

func dateRangeParts(c *host.Call) {
	if f, times := dateFormat(c, 2); f != nil {
		returnParts(c, f.RangeParts(times[0], times[1]), nil)
	}
}
