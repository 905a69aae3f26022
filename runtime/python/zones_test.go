package python_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZones(t *testing.T) {
	for code, want := range map[string]string{
		"str(datetime(2024, 7, 1, tzinfo=ZoneInfo('Europe/Berlin')))":                  "'2024-07-01 00:00:00+02:00'",
		"str(datetime(2024, 1, 1, tzinfo=ZoneInfo('America/New_York')))":               "'2024-01-01 00:00:00-05:00'",
		"str(datetime(2070, 7, 1, 12, tzinfo=ZoneInfo('Europe/London')))":              "'2070-07-01 12:00:00+01:00'",
		"str(datetime(1880, 1, 1, tzinfo=ZoneInfo('Europe/Berlin')).utcoffset())":      "'0:53:28'",
		"datetime(1916, 7, 1, tzinfo=ZoneInfo('Europe/Berlin')).tzname()":              "'CEST'",
		"str(datetime(2024, 7, 1, tzinfo=ZoneInfo('Europe/Berlin')).dst())":            "'1:00:00'",
		"str(datetime(2024, 7, 1, tzinfo=ZoneInfo('UTC')))":                            "'2024-07-01 00:00:00+00:00'",
		"str(datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=ZoneInfo('Europe/Berlin')))": "'2024-10-27 02:30:00+01:00'",
		"str(datetime(2024, 7, 1, tzinfo=timezone.utc)" +
			".astimezone(ZoneInfo('Asia/Tokyo')))": "'2024-07-01 09:00:00+09:00'",
		"str(datetime.fromtimestamp(0))": "'1970-01-01 00:00:00'",
	} {
		result := run(t, "from zoneinfo import ZoneInfo\nfrom datetime import *\n"+code)
		require.Equal(t, want, result.Text, code)
	}
	result := run(t, "import zoneinfo\nall = zoneinfo.available_timezones()\n"+
		"(len(all) == len({zoneinfo.ZoneInfo(name).key for name in all}), {'UTC', 'Europe/Berlin', 'Asia/Kolkata'} "+
		"<= all, zoneinfo.available_timezones() is all)")
	require.Equal(t, "(True, True, False)", result.Text)
	for _, name := range []string{"Local", "localtime", "", "../../etc/passwd", "/etc/localtime", "Europe/Nowhere",
		"a\x00b", "x" + string(make([]byte, 100))} {
		result := run(t, "import sys\nfrom zoneinfo import *\ntry:\n    ZoneInfo(sys.stdin.read())\nexcept "+
			"(ValueError, ZoneInfoNotFoundError) as e:\n    print('none')",
			stdin(name))
		require.Equal(t, "none", lines(result), name)
	}
}
