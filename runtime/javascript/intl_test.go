package javascript_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestIntl runs what scripts use of Intl. The results are those of Node 20.
func TestIntl(t *testing.T) {
	for script, want := range map[string]string{
		`(1234567.891).toLocaleString()`: "1,234,567.891",
		`(1234.5).toLocaleString('de-DE',
			{style: 'currency', currency: 'EUR'})`: "1.234,50\u00a0€",
		`123456789012345678901234567890n.toLocaleString(
			'en-IN')`: "1,23,45,67,89,01,23,45,67,89,01,23,45,67,890",
		`[1234.5, null, 'a', 12n,
			[5.5]].toLocaleString('de')`: "1.234,5,,a,12,5,5",
		`new Float64Array([1234.5, 2]).toLocaleString('de',
			{minimumFractionDigits: 1})`: "1.234,5,2,0",
		`const a = [1]; a.push(a); a.toLocaleString()`: "1,",
		`new Intl.NumberFormat('fr',
			{style: 'unit', unit: 'kilometer-per-hour'}).format(1234)`: "1\u202f234\u202fkm/h",
		`Intl.NumberFormat().format(
			'123456789012345678901234567890.5')`: "123,456,789,012,345,678,901,234,567,890.5",
		`new Intl.NumberFormat('en', {notation: 'compact'}).formatToParts(
			1234).map((p) => p.type).join()`: "integer,decimal,fraction,compact",
		`new Intl.NumberFormat('en',
			{style: 'currency', currency: 'USD'}).formatRange(3, 5)`: "$3.00 – $5.00",
		`[1, 2].map(new Intl.NumberFormat('ar-EG',
			{minimumFractionDigits: 1}).format).join()`: "١٫٠,٢٫٠",
		`class X extends Intl.NumberFormat {}
			new X('de').format(1.5) + (new X() instanceof X)`: "1,5true",
		`Intl.getCanonicalLocales(
			['EN-us', 'iw', 'he']).join()`: "en-US,he",
		`Intl.NumberFormat.supportedLocalesOf(
			['de', 'xx', 'zh-TW']).join()`: "de,zh-TW",
		`Intl.supportedValuesOf('currency').length`: "162",
		`Object.prototype.toString.call(Intl) +
			Object.keys(Intl).length`: "[object Intl]0",
		`new Intl.NumberFormat('xx-YY').resolvedOptions().locale`: "en-US",
		`try { new Intl.NumberFormat('x_y') } catch (e) {
			String(e) }`: "RangeError: Incorrect locale information provided",
		`try { new Intl.NumberFormat([1]) } catch (e) { String(
			e) }`: "TypeError: Language ID should be string or object.",
		`try { new Intl.NumberFormat('en', {style: 'x'}) } catch (e) { String(
			e) }`: "RangeError: Value x out of range for Intl.NumberFormat options property style",
		`try { (1).toLocaleString('en', {style: 'currency'}) } catch (e) {
			String(e) }`: "TypeError: Currency code is required with currency style.",
		`try { Intl.NumberFormat.prototype.formatToParts.call({}) } catch (e) { String(
			e) }`: "TypeError: Method Intl.NumberFormat.prototype.formatToParts " +
			"called on incompatible receiver #<Object>",
		`try { Number.prototype.toLocaleString.call('1') } catch (e) { String(
			e) }`: "TypeError: Number.prototype.toLocaleString requires that 'this' be a Number",
		`try { new Intl.NumberFormat().format('1'.repeat(2e6)) } catch (e) { e.name }`: "∞",
		`try { new Intl.NumberFormat('en-' + 'x-aa'.repeat(1000)) } catch (e) {
			String(e) }`: "RangeError: Incorrect locale information provided",
		`try { new Intl.NumberFormat(Array.from({length: 500}, (_, i) => 'en-x-' + i)) } catch (e) {
			e.name }`: "RangeError",
	} {
		result, err := engine.Run(t.Context(), "return eval("+strconv.Quote(script)+")", &javascript.RunOptions{})
		require.NoError(t, err, script)
		require.Equal(t, want, result.Text, script)
	}
}

// TestIntlRows evaluates expressions whose results Node gave (intl_node_test.go writes them).
func TestIntlRows(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "intl", "rows.json"))
	require.NoError(t, err)
	var want, got [][2]string
	require.NoError(t, json.Unmarshal(text, &want))
	result, err := tryRun(t, "return JSON.stringify("+string(text)+`.map(([expression]) => {
		try {
			const value = (0, eval)(expression);
			return [expression, typeof value === 'object' ? JSON.stringify(value) : String(value)];
		} catch (error) {
			return [expression, error.name + ': ' + error.message];
		}
	}))`)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(result.Text), &got))
	require.Equal(t, want, got)
	require.GreaterOrEqual(t, len(want), 250)
}
