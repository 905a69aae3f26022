package javascript_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestIntlDates runs what scripts use of dates. The results are those of Node 20 in UTC.
func TestIntlDates(t *testing.T) {
	for script, want := range map[string]string{
		`new Date(0).toString()`:     "Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)",
		`new Date(0).toTimeString()`: "00:00:00 GMT+0000 (Coordinated Universal Time)",
		`String(new Date(NaN)) + new Date(
			NaN).toLocaleString()`: "Invalid DateInvalid Date",
		`new Date(0).toLocaleString()`: "1/1/1970, 12:00:00 AM",
		`new Date(0).toLocaleDateString(
			'de-DE')`: "1.1.1970",
		`new Date(0).toLocaleTimeString('fr', {timeZone: 'Europe/Paris',
			timeStyle: 'full'})`: "01:00:00 heure normale d’Europe centrale",
		`[new Date(0)].toLocaleString('en-GB',
			{dateStyle: 'long'})`: "1 January 1970",
		`new Intl.DateTimeFormat('en',
			{timeZone: '+01:00', timeStyle: 'long'}).format(0)`: "1:00:00 AM GMT+1",
		`new Intl.DateTimeFormat('en', {hour: 'numeric'}).formatToParts(
			0).map((p) => p.type).join()`: "hour,literal,dayPeriod",
		`new Intl.DateTimeFormat('en').formatRange(0,
			1e10)`: "1/1/1970\u2009–\u20094/26/1970",
		`new Intl.DateTimeFormat('en').formatRangeToParts(0,
			1e10).map((p) => p.source[0]).join('')`: "sssssseeeee",
		`JSON.stringify(new Intl.DateTimeFormat('de', {hour: 'numeric', weekday:
			'short'}).resolvedOptions())`: `{"locale":"de","calendar":"gregory","numberingSystem":"latn",` +
			`"timeZone":"UTC","hourCycle":"h23","hour12":false,"weekday":"short","hour":"2-digit"}`,
		`[0, 1e12].map(Intl.DateTimeFormat(
			'ja').format).join()`: "1970/1/1,2001/9/9",
		`class X extends Intl.DateTimeFormat {}
			new X('de').format(0) + (new X() instanceof X)`: "1.1.1970true",
		`Intl.DateTimeFormat().resolvedOptions().timeZone`: "UTC",
		`const read = []; new Intl.DateTimeFormat('en', new Proxy({}, {get(_, key) { read.push(key) }}));
			read.join()`: "localeMatcher,calendar,numberingSystem,hour12,hourCycle,timeZone,weekday,era,year," +
			"month,day,dayPeriod,hour,minute,second,fractionalSecondDigits,timeZoneName,formatMatcher," +
			"dateStyle,timeStyle",
		`try { new Intl.DateTimeFormat('en', {timeZone: 'x'}) } catch (e) {
			String(e) }`: "RangeError: Invalid time zone specified: x",
		`try { new Intl.DateTimeFormat('en', {year: 'x'}) } catch (e) { String(
			e) }`: "RangeError: Value x out of range for Intl.DateTimeFormat options property year",
		`try { new Intl.DateTimeFormat('en', {dateStyle: 'full', year: 'numeric'}) } catch (e) {
			String(e) }`: "TypeError: Can't set option year when dateStyle is used",
		`try { new Date().toLocaleDateString('en', {timeStyle: 'full'}) } catch (e) {
			String(e) }`: "TypeError: Invalid option : timeStyle",
		`try { new Intl.DateTimeFormat('en').format(NaN) } catch (e) {
			String(e) }`: "RangeError: Invalid time value",
		`try { new Intl.DateTimeFormat('en').format(8.65e15) } catch (e) {
			String(e) }`: "RangeError: Invalid time value",
		`try { Date.prototype.toLocaleString.call(1) } catch (e) { String(
			e) }`: "TypeError: Method Date.prototype.toLocaleString called on incompatible receiver 1",
		`try { new Intl.DateTimeFormat('en', {timeZone: 'x'.repeat(1e6)}) } catch (e) {
			e.name }`: "RangeError",
	} {
		result, err := engine.Run(t.Context(), "return eval("+strconv.Quote(script)+")", &javascript.RunOptions{})
		require.NoError(t, err, script)
		require.Equal(t, want, result.Text, script)
	}
}

// TestIntlTexts runs what scripts use of comparisons and case conversions.
func TestIntlTexts(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`['z', 'ä', 'a', 'Z', 'b'].sort((a, b) => a.localeCompare(
			b)).join('')`: "aäbzZ",
		`['z', 'ä', 'a'].sort(new Intl.Collator('sv').compare).join(
			'')`: "azä",
		`['a10', 'a2'].sort(Intl.Collator('en', {numeric:
			true}).compare).join()`: "a2,a10",
		`'a'.localeCompare('Á', 'en', {sensitivity:
			'base'})`: "0",
		`'a'.localeCompare('A', 'en', {sensitivity: 'accent'}) +
			'a'.localeCompare('á', ['de'], {sensitivity: 'case'})`: "0",
		`'co-op'.localeCompare('coop', 'en', {ignorePunctuation:
			true})`: "0",
		`['a'.localeCompare(),
			'undefined'.localeCompare()].join()`: "-1,0",
		`JSON.stringify(new Intl.Collator('de-u-co-phonebk-kn-kf-upper', {sensitivity:
			'base'}).resolvedOptions())`: `{"locale":"de-u-co-phonebk-kf-upper-kn",` +
			`"usage":"sort","sensitivity":"base","ignorePunctuation":false,` +
			`"collation":"phonebk","numeric":true,"caseFirst":"upper"}`,
		`JSON.stringify(new Intl.Collator(
			'th').resolvedOptions())`: `{"locale":"th","usage":"sort","sensitivity":"variant",` +
			`"ignorePunctuation":true,"collation":"default","numeric":false,"caseFirst":"false"}`,
		`try { new Intl.Collator('de', {usage: 'x'}) } catch (e) { String(
			e) }`: "RangeError: Value x out of range for Intl.Collator options property usage",
		`try { 'a'.localeCompare('b', 'x_y') } catch (e) { String(
			e) }`: "RangeError: Incorrect locale information provided",
		`try { String.prototype.localeCompare.call(null, 'a') } catch (e) {
			e.name }`: "TypeError",
		`try { 'a'.repeat(17 << 20).localeCompare('b') } catch (e) {
			e.name }`: "RangeError",
		`'i'.toLocaleUpperCase('tr') + 'Ά'.toLocaleUpperCase('el') + 'I'.toLocaleLowerCase(['az', 'en']) +
			'ß'.toLocaleUpperCase()`: "İΑıSS",
		`[...new Intl.Segmenter('en', {granularity: 'word'}).segment('Hello, wörld 3.5!')].map(
			(s) => s.index + s.segment +
			s.isWordLike).join('|')`: "0Hellotrue|5,false|6 false|7wörldtrue|12 false|133.5true|16!false",
		`[...new Intl.Segmenter().segment('👨‍👩‍👧🇩🇪e\u0301x')].map(
			(s) => s.segment.length).join()`: "8,4,2,1",
		`[...new Intl.Segmenter('en', {granularity: 'sentence'}).segment('Is it? Yes, 3.5. Ok')].map(
			(s) => s.segment).join('|')`: "Is it? |Yes, 3.5. |Ok",
		`JSON.stringify(new Intl.Segmenter('de').segment('Hallo').containing(
			1))`: `{"segment":"a","index":1,"input":"Hallo"}`,
		`[new Intl.Segmenter('en').segment('Hi').containing(2)].join() + JSON.stringify(new Intl.Segmenter('en',
			{granularity: 'word'}).resolvedOptions())`: `{"locale":"en","granularity":"word"}`,
		`const text = 'one two. '.repeat(10000); let n = 0; for (
			const s of new Intl.Segmenter('en', {granularity: 'word'}).segment(text)) n += s.isWordLike; n`: "20000",
		`new Intl.Segmenter('en', {granularity: 'word'}).segment('x'.repeat(1e6) + ' y').containing(
			1e6 + 1).segment`: "y",
		`try { Intl.Segmenter('en') } catch (e) { String(
			e) }`: "TypeError: Constructor Intl.Segmenter requires 'new'",
		`try { new Intl.Segmenter('en', {granularity: 'x'}) } catch (e) { String(
			e) }`: "RangeError: Value x out of range for Intl.Segmenter options property granularity",
		`Object.prototype.toString.call(new Intl.Segmenter().segment('a')[
			Symbol.iterator]())`: "[object Segmenter String Iterator]",
		`class X extends Intl.Segmenter {} [...new X().segment('ab')].length +
			String(new X() instanceof X)`: "2true",
		`'ijs'.toLocaleUpperCase('nl') + 'I'.toLocaleLowerCase(
			'en')`: "IJSi",
	} {
		result, err := engine.Run(t.Context(), "return eval("+strconv.Quote(script)+")", &javascript.RunOptions{})
		require.NoError(t, err, script)
		require.Equal(t, want, result.Text, script)
	}
}
