// A formatter of numbers for each of many options, and all locales.
// ends: time limit
const locales = ['en', 'de', 'ar-EG', 'hi', 'zh-TW', 'ru', 'th', 'es-MX', 'fr-CH', 'ja'];
for (let n = 0; ; n++) {
  const unit = Intl.supportedValuesOf('unit')[n % 45];
  new Intl.NumberFormat(locales[n % 10], {
    style: 'unit', unit, unitDisplay: 'long', minimumFractionDigits: n % 100, maximumFractionDigits: 100,
  }).format(n);
}
