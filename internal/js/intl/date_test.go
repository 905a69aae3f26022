package intl

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tables are what Node 20 writes.

func dateFormat(t *testing.T, locale, options string) *DateFormat {
	t.Helper()
	o := DateOptions{Locales: []string{locale}, Required: "any", Defaults: "date"}
	var given map[string]any
	require.NoError(t, json.Unmarshal([]byte(options), &given))
	if hour12, ok := given["hour12"].(bool); ok {
		given["hour12"] = map[bool]string{true: "true", false: "false"}[hour12]
	}
	text, err := json.Marshal(given)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &o))
	f, err := newDateFormat(o)
	require.NoError(t, err)
	return f
}

func TestDateFormat(t *testing.T) {
	for _, c := range []struct {
		locale, options string
		time            float64
		want            string
	}{
		{"en-US", `{}`, 0, "1/1/1970"},
		{"en-US", `{"dateStyle":"full","timeStyle":"long","timeZone":"America/New_York"}`, 1709647629045,
			"Tuesday, March 5, 2024 at 9:07:09 AM EST"},
		{"en-GB", `{"dateStyle":"long","timeStyle":"short","timeZone":"Europe/London"}`, 1720000000000,
			"3 July 2024 at 10:46"},
		{"de-DE", `{"weekday":"long","year":"numeric","month":"long","day":"numeric"}`, 1709647629045,
			"Dienstag, 5. März 2024"},
		{"de", `{"hour":"numeric","minute":"2-digit","timeZone":"Europe/Berlin","timeZoneName":"short"}`, 1720000000000,
			"11:46 MESZ"},
		{"fr-FR", `{"dateStyle":"full"}`, 1709647629045, "mardi 5 mars 2024"},
		{"fr-CA", `{"timeStyle":"medium"}`, 1709647629045, "14 h 07 min 09 s"},
		{"es-MX", `{"month":"short","day":"numeric","hour":"numeric"}`, 1709647629045, "5 mar, 2 p.m."},
		{"pt-BR", `{"dateStyle":"medium","timeStyle":"short"}`, 1709647629045, "5 de mar. de 2024, 14:07"},
		{"ja-JP", `{"era":"long","year":"numeric","month":"long","day":"numeric"}`, 1709647629045, "西暦2024年3月5日"},
		{"ja-JP-u-ca-japanese", `{"dateStyle":"full"}`, 1709647629045, "令和6年3月5日火曜日"},
		{"zh-CN", `{"dateStyle":"full","timeStyle":"full","timeZone":"Asia/Shanghai"}`, 1709647629045,
			"2024年3月5日星期二 中国标准时间 22:07:09"},
		{"zh-TW", `{"hour":"numeric","minute":"numeric","hour12":true}`, 1709647629045, "下午2:07"},
		{"ko-KR", `{"dateStyle":"long","timeStyle":"short"}`, 1709647629045, "2024년 3월 5일 PM 2:07"},
		{"ar-EG", `{"dateStyle":"long"}`, 1709647629045, "٥ مارس ٢٠٢٤"},
		{"he", `{"weekday":"short","hour":"2-digit","minute":"2-digit"}`, 1709647629045, "יום ג׳ 14:07"},
		{"hi-IN", `{"dateStyle":"medium"}`, 1709647629045, "5 मार्च 2024"},
		{"th-TH", `{"dateStyle":"long"}`, 1709647629045, "5 มีนาคม 2567"},
		{"fa-IR", `{"dateStyle":"long"}`, 1709647629045, "۱۵ اسفند ۱۴۰۲"},
		{"ru", `{"year":"numeric","month":"long"}`, 1709647629045, "март 2024 г."},
		{"pl", `{"day":"numeric","month":"long"}`, 1709647629045, "5 marca"},
		{"cs", `{"month":"long"}`, 1709647629045, "březen"},
		{"fi", `{"weekday":"long","day":"numeric","month":"numeric"}`, 1709647629045, "tiistaina 5.3."},
		{"en-US", `{"hour":"numeric","hour12":false}`, 0, "24"},
		{"en", `{"hour":"numeric","dayPeriod":"long"}`, 1709647629045, "2 in the afternoon"},
		{"en", `{"minute":"2-digit","second":"2-digit","fractionalSecondDigits":3}`, 1709647629045, "07:09.045"},
		{"lt", `{"second":"numeric","fractionalSecondDigits":2}`, 1709647629045, "9,04"},
		{"en", `{"year":"numeric","era":"short"}`, -62200000000000, "3 BC"},
		{"en", `{"year":"numeric"}`, 8640000000000000, "275760"},
		{"en", `{"dateStyle":"short"}`, -8640000000000000, "4/20/22"},
		{"en-US", `{"timeZone":"Asia/Kolkata","timeZoneName":"long","hour":"numeric"}`, 1709647629045,
			"7 PM India Standard Time"},
		{"en-US", `{"timeZone":"America/Los_Angeles","timeZoneName":"shortGeneric"}`, 1709647629045, "3/5/2024, PT"},
		{"en-US", `{"timeZone":"Asia/Dubai","timeZoneName":"longOffset"}`, 1709647629045, "3/5/2024, GMT+04:00"},
		{"fr", `{"timeZone":"America/Sao_Paulo","timeZoneName":"longGeneric","hour":"numeric"}`, 1709647629045,
			"11 h heure normale de Brasilia"},
		{"sv-SE", `{}`, 1709647629045, "2024-03-05"},
		{"en-CA", `{}`, 1709647629045, "2024-03-05"},
		{"nl", `{"weekday":"narrow","day":"2-digit","month":"2-digit","year":"2-digit"}`, 1709647629045, "D 05-03-24"},
		{"tr", `{"dateStyle":"full","timeStyle":"short"}`, 1709647629045, "5 Mart 2024 Salı 14:07"},
		{"en-AU", `{"weekday":"short","day":"numeric","month":"long"}`, 1709647629045, "Tue 5 March"},
		{"en", `{"month":"long","weekday":"narrow","era":"long"}`, 1709647629045, "Anno Domini (month: March)"},
	} {
		require.Equal(t, c.want, dateFormat(t, c.locale, c.options).Format(c.time), "%s %s", c.locale, c.options)
	}
}

func TestDateFormatRange(t *testing.T) {
	for _, c := range []struct {
		locale, options string
		from, to        float64
		want            string
	}{
		{"en", `{}`, 0, 10000000000, "1/1/1970 – 4/26/1970"},
		{"en", `{"month":"short","day":"numeric"}`, 0, 1000000000, "Jan 1 – 12"},
		{"en", `{"hour":"numeric","minute":"numeric"}`, 0, 10000000, "12:00 – 2:46 AM"},
		{"de", `{"dateStyle":"long"}`, 0, 1000000000, "1.–12. Januar 1970"},
		{"fr", `{"dateStyle":"medium","timeStyle":"short"}`, 0, 10000000, "1 janv. 1970, 00:00 – 02:46"},
		{"ja", `{"year":"numeric","month":"long"}`, 0, 10000000000, "1970/01～1970/04"},
		{"es", `{"day":"numeric","month":"long","year":"numeric"}`, 0, 100000000000,
			"1 de enero de 1970 – 3 de marzo de 1973"},
		{"en", `{"timeStyle":"medium"}`, 0, 10000000000, "1/1/1970, 12:00:00 AM – 4/26/1970, 5:46:40 PM"},
		{"en-GB", `{"hour":"numeric","minute":"numeric","month":"short","day":"numeric"}`, 0, 3000000,
			"1 Jan, 00:00–00:50"},
		{"en", `{"year":"numeric"}`, 0, 1000, "1970"},
		{"ko", `{"weekday":"long","month":"long","day":"numeric"}`, 0, 500000000, "1월 1일 (목요일)~6일 (화요일)"},
	} {
		require.Equal(t, c.want, dateFormat(t, c.locale, c.options).FormatRange(c.from, c.to), "%s %s", c.locale,
			c.options)
	}
}

func TestTimeZones(t *testing.T) {
	for name, want := range map[string]string{
		"utc": "UTC", "Etc/GMT": "UTC", "asia/kolkata": "Asia/Calcutta", "US/Eastern": "America/New_York",
		"+0130": "+01:30", "-05": "-05:00", "-00:00": "+00:00", "Etc/GMT+5": "Etc/GMT+5",
	} {
		z, ok := findZone(name)
		require.True(t, ok, name)
		require.Equal(t, want, z.name)
	}
	for _, name := range []string{"", "x", "Local", "+1", "+24:00", "+01:60", "../etc/passwd", "Europe/Berlin\x00",
		"Etc/Unknown"} {
		_, ok := findZone(name)
		require.False(t, ok, name)
	}
	for _, name := range zoneNames() {
		_, ok := findZone(name)
		require.True(t, ok, name)
	}
}

// FuzzDateFormat looks for options that make the formatter panic.
func FuzzDateFormat(f *testing.F) {
	f.Add("en", "full", "short", "h23", "long", "2-digit", 0.0, 8.64e15)
	f.Add("th-u-ca-persian-nu-arab", "", "", "h11", "narrow", "numeric", -8.64e15, 1e12)
	f.Fuzz(func(t *testing.T, locale, dateStyle, timeStyle, cycle, month, hour string, from, to float64) {
		format, err := newDateFormat(DateOptions{
			Locales: []string{locale}, DateStyle: dateStyle, TimeStyle: timeStyle, HourCycle: cycle, Month: month,
			Hour:    hour,
			Weekday: month, DayPeriod: month, Fraction: len(hour) % 4, TimeZoneName: dateStyle,
			TimeZone: "Europe/Dublin",
		})
		if err != nil {
			return
		}
		format.Format(from)
		format.RangeParts(from, to)
		format.Resolved()
	})
}
