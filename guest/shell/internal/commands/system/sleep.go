package system

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var sleep = &command.Command{
	Name:     "sleep",
	Operands: "NUMBER[SUFFIX]...",
	Summary: "Pause for NUMBER seconds, where NUMBER is an integer or floating-point. SUFFIX may be 's', 'm', 'h', " +
		"or 'd', for\n" +
		"seconds, minutes, hours, days. With multiple arguments, pause for the sum of their values.",
	Run: runSleep,
}

func runSleep(c *command.Context) int {
	if len(c.Args) == 0 {
		return c.Missing()
	}
	var total time.Duration
	for _, arg := range c.Args {
		d, ok := parseDuration(arg)
		if !ok {
			return c.Usage("invalid time interval %s", command.QuoteText(arg))
		}
		total += d
	}
	timer := time.NewTimer(total)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.Context().Done():
	}
	return 0
}

// parseDuration reads a number of seconds, which can have a suffix.
func parseDuration(s string) (time.Duration, bool) {
	unit := time.Second
	if n := len(s) - 1; n > 0 {
		if i := strings.IndexByte("smhd", s[n]); i >= 0 {
			unit = []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}[i]
			s = s[:n]
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 1) || f < 0 || math.IsNaN(f) {
		return 0, false
	}
	if f *= float64(unit); f > math.MaxInt64/4 {
		return math.MaxInt64 / 4, true
	}
	return time.Duration(f), true
}
