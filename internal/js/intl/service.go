package intl

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A kind of formatter says which keys of the Unicode extension count for it, and which value a locale has by itself.
type kind struct {
	keys    []string
	allowed func(key, data, value string) bool
	own     func(key, data string) string

	// shown returns the locale that resolvedOptions shows for one without extensions; nil for the locale itself.
	shown func(locale string) string
}

// kinds are the formatters that negotiate a locale. Other files add theirs.
var kinds = map[string]kind{
	"number": {
		keys:    []string{"nu"},
		allowed: func(_, _, value string) bool { _, ok := digitsOf(value); return ok },
		own:     func(_, data string) string { return defaultSystem(data) },
	},
	"plain": {}, // no key counts
}

// ResolveFor negotiates the locale for a kind of formatter. Options are keys and values by turns. It returns the locale
// that resolvedOptions shows, the locale of the data, and the values of the kind's keys.
func ResolveFor(name string, requested, options []string) []string {
	k := kinds[name]
	given := map[string]string{}
	for i := 0; i+1 < len(options); i += 2 {
		given[options[i]] = strings.ToLower(options[i+1])
	}
	choices := make([]choice, len(k.keys))
	for i, key := range k.keys {
		choices[i] = choice{key: key, option: given[key], allowed: func(data, value string) bool {
			return k.allowed(key, data, value)
		}}
	}
	r := resolve(requested, choices...)
	if k.shown != nil {
		locale, extension, found := strings.Cut(r.locale, "-u-")
		r.locale = k.shown(locale)
		if found {
			r.locale += "-u-" + extension
		}
	}
	fields := []string{r.locale, r.data}
	for _, key := range k.keys {
		value := r.keywords[key]
		if value == "" {
			value = k.own(key, r.data)
		}
		fields = append(fields, value)
	}
	return fields
}

// CurrencyDigits returns how many digits after the decimal point a currency has.
func CurrencyDigits(code string) int {
	data := supplemental()
	text, ok := data.get("fraction/" + code)
	if !ok {
		text = data.text("fraction/DEFAULT")
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 2
	}
	return n
}

// supportedValues are the lists of Intl.supportedValuesOf, by key. Other files add theirs.
var supportedValues = map[string]func() []string{
	"currency":        func() []string { return slices.Clone(currencies) },
	"numberingSystem": numberingSystems,
	"unit":            func() []string { return slices.Clone(knownUnits) },
}

// SupportedValues returns the values that Intl.supportedValuesOf gives for a key, and whether there is such a key.
func SupportedValues(key string) ([]string, bool) {
	list := supportedValues[key]
	if list == nil {
		return nil, false
	}
	return list(), true
}

// currencies are the codes that ICU counts as those of today: CLDR's data has them together with all of the past.
var currencies = strings.Fields(`
	AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF
	CHF CLP CNY COP CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD
	HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD
	LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP
	PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT
	TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG XDR XOF XPF XSU YER ZAR ZMW ZWG ZWL`)

// A cache keeps values that never change by a text that a script has chosen. It is bounded: when it is full, it starts
// anew.
type cache[T any] struct {
	most   int // how many it keeps; 0 means maxCached
	mu     sync.RWMutex
	values map[string]T
}

// maxCached is how many values a cache keeps if nothing else is said.
const maxCached = 512

// get returns the value for a text. It is made if it is not there.
func (c *cache[T]) get(text string, build func(text string) (T, error)) (T, error) {
	c.mu.RLock()
	value, ok := c.values[text]
	c.mu.RUnlock()
	if ok {
		return value, nil
	}
	value, err := build(text)
	if err != nil {
		return value, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	most := c.most
	if most == 0 {
		most = maxCached
	}
	if c.values == nil || len(c.values) >= most {
		c.values = map[string]T{}
	}
	c.values[strings.Clone(text)] = value
	return value, nil
}

var numberFormats cache[*NumberFormat]

// CachedNumberFormat is parseNumberFormat for options that are likely to come again.
func CachedNumberFormat(options string) (*NumberFormat, error) {
	return numberFormats.get(options, parseNumberFormat)
}
