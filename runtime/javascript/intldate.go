package javascript

import (
	"context"
	"encoding/json"
	"math"
	"strconv"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/intl"
)

// The functions behind Intl.DateTimeFormat (guest/quickjs/node/internal/intl/date.js).

func init() {
	for name, f := range map[string]func(in *instance, ctx context.Context, args arguments) (quickjs.Value, error){
		"intl.dateResolved":   (*instance).intlDateResolved,   // options: {list}; undefined if there is no such zone
		"intl.date":           (*instance).intlDate,           // options, time: text
		"intl.dateParts":      (*instance).intlDateParts,      // options, time: {list}
		"intl.dateRange":      (*instance).intlDateRange,      // options, two times: text
		"intl.dateRangeParts": (*instance).intlDateRangeParts, // options, two times: {list}
	} {
		webFunctions[name] = f
	}
}

func (in *instance) intlDateResolved(ctx context.Context, args arguments) (quickjs.Value, error) {
	text, err := in.intlText(args, 0, maxIntlTags)
	if err != nil {
		return 0, err
	}
	f, err := newDateFormat(text)
	if err != nil {
		return quickjs.Undefined, nil
	}
	return in.webObject(ctx, map[string]any{"list": f.Resolved()})
}

func newDateFormat(text string) (*intl.DateFormat, error) {
	var options intl.DateOptions
	if err := json.Unmarshal([]byte(text), &options); err != nil {
		return nil, failf("the options are malformed")
	}
	return intl.CachedDateFormat(text, options)
}

// dateFormat returns the formatter and the times that the arguments give.
func (in *instance) dateFormat(args arguments, count int) (f *intl.DateFormat, times [2]float64, err error) {
	options, err := in.intlText(args, 0, maxIntlTags)
	if err != nil {
		return nil, times, err
	}
	for i := range count {
		text, err := in.intlText(args, 1+i, maxName)
		if err != nil {
			return nil, times, err
		}
		times[i], err = strconv.ParseFloat(text, 64)
		if err != nil || math.Abs(times[i]) > intl.MaxTime {
			return nil, times, &failure{name: "RangeError", message: "Invalid time value"}
		}
	}
	if f, ok := intl.KeptDateFormat(options); ok {
		return f, times, nil
	}
	f, err = newDateFormat(options)
	if err != nil {
		return nil, times, failf("%v", err)
	}
	return f, times, nil
}

func (in *instance) intlDate(ctx context.Context, args arguments) (quickjs.Value, error) {
	f, times, err := in.dateFormat(args, 1)
	if err != nil {
		return 0, err
	}
	return in.vm.NewString(ctx, f.Format(times[0]))
}

func (in *instance) intlDateParts(ctx context.Context, args arguments) (quickjs.Value, error) {
	f, times, err := in.dateFormat(args, 1)
	if err != nil {
		return 0, err
	}
	return in.intlParts(ctx, f.Parts(times[0]), nil)
}

func (in *instance) intlDateRange(ctx context.Context, args arguments) (quickjs.Value, error) {
	f, times, err := in.dateFormat(args, 2)
	if err != nil {
		return 0, err
	}
	return in.vm.NewString(ctx, f.FormatRange(times[0], times[1]))
}

func (in *instance) intlDateRangeParts(ctx context.Context, args arguments) (quickjs.Value, error) {
	f, times, err := in.dateFormat(args, 2)
	if err != nil {
		return 0, err
	}
	return in.intlParts(ctx, f.RangeParts(times[0], times[1]), nil)
}
