// Makes expressions that use Intl, and evaluates them: here and in Node the results must be the same. It is a function of
// an area, how many expressions, and a number from which they follow. It returns pairs of an expression and its result.
(area, count, seed) => {
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
  const integer = (n) => Math.floor(random() * n);
  const pick = (list) => list[integer(list.length)];
  const chance = (p) => random() < p;

  const locales = ('en en-GB en-US en-CA en-AU en-IN de de-AT de-CH fr fr-CA fr-CH es es-MX es-419 it pt pt-PT nl sv da nb fi pl cs ru uk ' +
    'tr el he ar ar-EG fa hi bn th vi id ja ko zh zh-TW hu ro').split(' ');
  const currencies = ('USD EUR GBP JPY CHF INR CNY BRL KRW SEK PLN CZK KWD BHD TRY ILS SAR EGP THB VND IDR HUF RON MXN CLP XAF ARS AUD CAD ' +
    'NZD ZAR XXX FOO UYW CLF').split(' ');
  const units = ('acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit gigabyte gram hectare hour inch ' +
    'kilobit kilobyte kilogram kilometer liter megabit megabyte meter microsecond mile mile-scandinavian milliliter millimeter millisecond ' +
    'minute month nanosecond ounce percent petabyte pound second stone terabit terabyte week yard year').split(' ');
  const special = ['0', '-0', 'Infinity', '-Infinity', 'NaN', '1', '-1', '999.999', '1000', '1e21', '5e-324', '1.7976931348623157e308', '0.5', '1.5',
    '2.5', '-2.5', '12345678901234567890123456789n', "'-123456789012345678901234567890.987654321'", '999999', '999500', '0.00001', '1000000', '2',
    '3', '5', '11', '21', '100', '101', '1e6', '2e6', "'1e3'", '8', '18', '80', '2.0', '1.0'];

  const number = () => {
    if (chance(0.1)) return pick(special);
    const x = Number(`${Math.round((random() - 0.3) * 1e15)}e${integer(16) - 19}`);
    const kind = random();
    if (kind < 0.4) return String(Math.round(x));
    return String(kind < 0.7 ? Number(x.toFixed(integer(4))) : x);
  };
  const json = (value) => JSON.stringify(value);
  const text = (options) => (Object.keys(options).length === 0 ? '' : `, ${json(options)}`);

  const digits = (o) => {
    const kind = random();
    if (kind < 0.25) {
      o.minimumFractionDigits = integer(4);
      o.maximumFractionDigits = o.minimumFractionDigits + integer(4);
    } else if (kind < 0.4) {
      o.minimumSignificantDigits = 1 + integer(4);
      o.maximumSignificantDigits = o.minimumSignificantDigits + integer(4);
    } else if (kind < 0.5) {
      o.maximumFractionDigits = integer(6);
      o.maximumSignificantDigits = 1 + integer(6);
      if (chance(0.8)) o.roundingPriority = pick(['morePrecision', 'lessPrecision']);
    }
    if (chance(0.15)) o.minimumIntegerDigits = 1 + integer(5);
  };

  const numberOptions = () => {
    const o = {};
    const style = pick(['decimal', 'decimal', 'percent', 'currency', 'currency', 'unit']);
    if (style !== 'decimal') o.style = style;
    if (style === 'currency') {
      o.currency = pick(currencies);
      if (chance(0.6)) o.currencyDisplay = pick(['code', 'symbol', 'narrowSymbol', 'name']);
      if (chance(0.3)) o.currencySign = pick(['standard', 'accounting']);
    }
    if (style === 'unit') {
      o.unit = pick(units) + (chance(0.3) ? `-per-${pick(units)}` : '');
      if (chance(0.7)) o.unitDisplay = pick(['long', 'short', 'narrow']);
    }
    if (chance(0.4)) {
      o.notation = pick(['standard', 'scientific', 'engineering', 'compact', 'compact']);
      if (chance(0.5)) o.compactDisplay = pick(['short', 'long']);
    }
    if (chance(0.3)) o.signDisplay = pick(['auto', 'always', 'never', 'exceptZero', 'negative']);
    if (chance(0.3)) o.useGrouping = pick([true, false, 'auto', 'always', 'min2']);
    digits(o);
    if (chance(0.2)) o.roundingMode = pick(['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven']);
    if (chance(0.06) && o.maximumSignificantDigits === undefined) {
      o.minimumFractionDigits = o.maximumFractionDigits = integer(3);
      o.roundingIncrement = pick([1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000]);
    }
    if (chance(0.08)) o.trailingZeroDisplay = pick(['auto', 'stripIfInteger']);
    if (chance(0.1)) o.numberingSystem = pick(['arab', 'latn', 'deva', 'thai', 'hanidec', 'arabext', 'beng']);
    return o;
  };

  const words = ['a', 'Anna', 'apples', 'iglesias', 'hielo', 'hija', 'Ignacio', 'oro', 'hoja', '8', '11', '11 a', '110', 'ho', 'תפוח', 'banana', 'ב',
    '', 'x y', 'ياسمين', '東京', 'é', 'Juan y Ana', 'hi', '{0}'];
  const relativeUnits = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];
  const languages = ('af ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fil fo fr ga gl gu haw he hi hr hu hy id ig is it ja jv ka kk km kn ' +
    'ko ky la lo lt lv mk ml mn mr ms mt my nb ne nl nn no or pa pl ps pt qu ro ru rw sa sd si sk sl so sq sr sv sw ta te tg th ti tk tr tt uk ur ' +
    'uz vi yi yo yue zh zu en-GB en-US en-AU en-CA fr-CA fr-CH es-419 es-ES es-MX pt-BR pt-PT de-AT de-CH nl-BE zh-Hans zh-Hant ro-MD sw-CD fa-AF ' +
    'ar-001 sr-Latn uz-Cyrl en-IN de-DE ja-JP pa-Arab az-Cyrl zh-Hant-HK sr-Latn-BA xx xx-YY fr-Cyrl gsw').split(' ');
  const regions = ('AD AE AF AR AT AU BA BE BG BR CA CD CH CI CL CN CO CZ DE DK EG ES FI FR GB GR HK HU ID IE IL IN IQ IR IS IT JP KE KP KR LU MA MK ' +
    'MM MO MX MY NG NL NO NP NZ PE PH PK PL PS PT RO RS RU SA SE SG SK SY SZ TH TL TR TW UA UN US VA VE VN XK YE ZA ZW ZZ 001 150 419 005 QZ').split(' ');
  const scripts = 'Latn Cyrl Arab Grek Hebr Deva Beng Hans Hant Jpan Kore Thai Geor Armn Ethi Cans Hira Kana Zsye Zxxx Qaaa Tibt Khmr Sinh'.split(' ');
  const calendars = ('buddhist chinese coptic dangi ethioaa ethiopic gregory hebrew indian islamic islamic-civil islamic-rgsa islamic-tbla ' +
    'islamic-umalqura iso8601 japanese persian roc nothing').split(' ');
  const fields = ['era', 'year', 'quarter', 'month', 'weekOfYear', 'weekday', 'day', 'dayPeriod', 'hour', 'minute', 'second', 'timeZoneName'];
  const codes = { language: languages, region: regions, script: scripts, currency: [...currencies, 'XAU', 'DEM', 'QQQ'], calendar: calendars, dateTimeField: fields };
  const tags = [...locales, ...languages, 'EN-latn-us', 'iw', 'sh', 'mo', 'zh-cmn', 'art-lojban', 'hy-SU', 'en-u-nu-thai-ca-buddhist', 'de-u-co-phonebk',
    'und-Cyrl', 'und-US', 'x-a', 'a', 'en_US', 'en-u-kn-true', 'en-t-iw-m0-true', 'sl-rozaj-biske-1994', 'en-x-a', 'zz-ZZ', 'cy', 'tlh'];
  const known = [...locales, 'EN-latn-us', 'iw', 'sh', 'mo', 'en-u-nu-thai-ca-buddhist', 'de-u-co-phonebk', 'und-US', 'x-a', 'a', 'en_US', 'en-u-kn-true',
    'en-x-a', 'zz-ZZ', 'tlh', 'zh-Hans', 'zh-Hant-HK', 'zh-Hans-TW', 'sr-ME', 'sr-Cyrl-BA', 'pt-AO', 'es-AR', 'no', 'nn', 'en-XX', 'fr-US', 'de-DE-1996',
    'hi-Latn', 'ar-u-nu-latn', 'th-u-nu-hebr', 'fa-AF', 'ur-IN', 'sw-KE', 'ms-BN', 'en-US-posix', 'ca-valencia', 'de-LI', 'it-CH'];

  const zones = ('UTC America/New_York America/Los_Angeles Europe/London Europe/Berlin Asia/Tokyo Asia/Kolkata Australia/Sydney Asia/Shanghai ' +
    'America/Sao_Paulo Africa/Cairo Asia/Kathmandu Pacific/Auckland Europe/Dublin America/St_Johns Asia/Dubai Europe/Moscow America/Phoenix ' +
    'Etc/GMT+5 Africa/Casablanca Asia/Singapore').split(' ');
  const widths = ['narrow', 'short', 'long'];
  const styles = ['full', 'long', 'medium', 'short'];
  const dateFields = { // each with how often it is there, and its values
    weekday: [0.35, widths], era: [0.1, widths], year: [0.6, ['numeric', '2-digit']], month: [0.65, ['numeric', '2-digit', ...widths]],
    day: [0.6, ['numeric', '2-digit']], dayPeriod: [0.1, widths], hour: [0.4, ['numeric', '2-digit']], minute: [0.35, ['numeric', '2-digit']],
    second: [0.25, ['numeric', '2-digit']], fractionalSecondDigits: [0.07, [1, 2, 3]],
    timeZoneName: [0.2, ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric']],
  };
  const dateOptions = () => {
    const o = {};
    if (chance(0.3)) {
      if (chance(0.7)) o.dateStyle = pick(styles);
      if (o.dateStyle === undefined || chance(0.6)) o.timeStyle = pick(styles);
    } else if (chance(0.9)) {
      for (const name of Object.keys(dateFields)) if (chance(dateFields[name][0])) o[name] = pick(dateFields[name][1]);
    }
    if (chance(0.15)) o.hour12 = chance(0.5);
    else if (chance(0.12)) o.hourCycle = pick(['h11', 'h12', 'h23', 'h24']);
    if (chance(0.6)) o.timeZone = pick(zones);
    if (chance(0.05)) o.numberingSystem = pick(['arab', 'latn', 'deva', 'thai']);
    return o;
  };
  const time = () => {
    let t = chance(0.8) ? Date.UTC(2000 + integer(40), 0, 1) + random() * 4e10 : Date.UTC(1850 + integer(300), 0, 1) + random() * 4e10;
    if (chance(0.02)) t = -random() * 8e13 - 6e13;
    if (chance(0.15)) t -= t % 3600000;
    return Math.floor(t);
  };

  const collated = ('apple Apple APPLE äpfel Äpfel apfel aepfel zebra Zoë zoe öl ol oel résumé resume Resume coté côte côté cote ñandú nandu llama ' +
    'luz chico cinco čas cas hora chata ång ang aa Aa aå æble øl ø ü ue über ı i I İ ij straße strasse ł l Łódź lodz şey sey đ d ő ö gy ggy gz cs ' +
    'ccs dž nj a1 a10 a2 file-10 file_2 file.3 co-op coop CO-OP .a _a -a $5 €5 5 05 ½ ² 2 10 а б А ґ г ї і ё е й α β ά Ω א ב ا ب ت ة ی ي क ख ก เก ' +
    'แก あ ア い カ が か カー カア 亜 唖 一 丁 中 文 阿 爱 한 가 각 á à ả ă â é ê z Z ! ? 😀 ﬁ fi Å e\u0301 a\u0328\u0301 A a b y w v þ th த అ ক پ ک').split(' ');
  const collatedText = () => pick(collated) + (chance(0.35) ? pick(collated) : '') + (chance(0.1) ? pick([' ', '-', '']) + pick(collated) : '');
  const collations = [...locales, 'sv', 'is', 'lt', 'lv', 'et', 'hr', 'sk', 'sl', 'sr', 'bg', 'ta', 'te', 'ur', 'de-u-co-phonebk', 'es-u-co-trad', 'en-u-kn', 'da-u-kf-lower'];

  const segmented = ['Hello', 'world', "can't", 'e.g.', 'Mr.', 'Smith', '3.14', '1,000', '$5', 'U.S.A.', 'foo_bar', '_', '__', 'a:b', 'naïve', 'e\u0301',
    '👨\u200d👩\u200d👧', '🇩🇪🇫🇷🇪', '👍🏽', '❤️', 'क्षि', 'नमस्ते', '한국어', 'שָׁלוֹם', 'צה״ל', 'العربية', 'Привет', '.', '!', '?', '...', '?!', ';', '—', '"', '(',
    ')', '“', '”', '«', '»', '\n', '\r\n', ' ', '  ', '\t', '\u00a0', '\u2028', 'x', 'X', '1', '2nd', 'A.', 'B', 'a.b', 'http://x.y/z?q=1', '#tag',
    '12:30', '©', 'ß', 'カタカナ', '…', '。', '！', 'ক্ষ', 'தமிழ்', 'Ελλάδα', 'x²', '½', '😀', '\u0600١', 'ᄀ', 'ᅡ', 'ᆨ'];

  const areas = {
    date() {
      const t = time();
      const kind = random();
      if (kind < 0.2) return `new Date(${t}).${pick(['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'])}('${pick(locales)}'${text(dateOptions())})`;
      const format = `new Intl.DateTimeFormat('${pick(locales)}'${text(dateOptions())})`;
      if (kind < 0.3) return `${format}.resolvedOptions()`;
      return `${format}.${kind < 0.8 ? 'format' : 'formatToParts'}(${t})`;
    },
    range() {
      const t = time();
      const u = Math.min(Math.floor(t + pick([1e3, 6e4, 3.6e6, 4e7, 8.64e7, 1e9, 3e10, 1e11, 1e13, 0]) * random()), 8e15);
      const format = `new Intl.DateTimeFormat('${pick(locales)}'${text(dateOptions())})`;
      if (chance(0.6)) return `${format}.formatRange(${t}, ${u})`;
      return `${format}.formatRangeToParts(${t}, ${u}).map((p) => p.type[0] + p.value + p.source[0])`;
    },
    collation() {
      const o = {};
      if (chance(0.3)) o.sensitivity = pick(['base', 'accent', 'case', 'variant']);
      if (chance(0.12)) o.numeric = chance(0.5);
      if (chance(0.1)) o.caseFirst = pick(['upper', 'lower', 'false']);
      if (chance(0.12)) o.ignorePunctuation = chance(0.5);
      const a = collatedText();
      const b = chance(0.2) ? (chance(0.5) ? a.toUpperCase() : a.normalize('NFD').replace(/[\u0300-\u036f]/g, '')) : collatedText();
      if (chance(0.1)) return `new Intl.Collator('${pick(collations)}'${text(o)}).resolvedOptions()`;
      if (chance(0.3)) return `${json(a)}.localeCompare(${json(b)}, '${pick(collations)}'${text(o)})`;
      return `new Intl.Collator('${pick(collations)}'${text(o)}).compare(${json(a)}, ${json(b)})`;
    },
    segmentation() {
      let s = '';
      for (let i = 1 + integer(8); i > 0; i--) s += pick(segmented) + (chance(0.5) ? ' ' : '');
      const segments = `new Intl.Segmenter('${pick(locales.filter((l) => !/^(ja|zh|th)/.test(l)))}', {granularity: '${pick(['grapheme', 'word', 'sentence'])}'}).segment(${json(s)})`;
      return chance(0.1) ? `${segments}.containing(${integer(10)})` : `[...${segments}].map((s) => s.segment + (s.isWordLike ?? ''))`;
    },
    number() {
      const format = `new Intl.NumberFormat('${pick(locales)}'${text(numberOptions())})`;
      const kind = random();
      if (kind < 0.5) return `${format}.format(${number()})`;
      if (kind < 0.6) return `(${number()}).toLocaleString('${pick(locales)}'${text(numberOptions())})`;
      if (kind < 0.75) return `${format}.formatToParts(${number()})`;
      const start = number();
      return `${format}.${kind < 0.9 ? 'formatRange' : 'formatRangeToParts'}(${start}, ${chance(0.3) ? start : number()})`;
    },
    list() {
      const o = {};
      if (chance(0.7)) o.type = pick(['conjunction', 'disjunction', 'unit']);
      if (chance(0.7)) o.style = pick(['long', 'short', 'narrow']);
      const list = Array.from({ length: integer(5) }, () => pick(words));
      return `new Intl.ListFormat('${pick(locales)}'${text(o)}).${pick(['format', 'format', 'formatToParts'])}(${json(list)})`;
    },
    relative() {
      const o = {};
      if (chance(0.7)) o.style = pick(['long', 'short', 'narrow']);
      if (chance(0.6)) o.numeric = pick(['always', 'auto']);
      if (chance(0.1)) o.numberingSystem = pick(['arab', 'latn', 'deva', 'thai']);
      let value = chance(0.5) ? String(integer(7) - 3) : number().replace('n', '');
      if (chance(0.1)) value = pick(['-0', '0.004', '-0.996', '1.004', '2.02', '-1.02', '1.5']);
      const unit = pick(relativeUnits) + pick(['', '', 's']);
      return `new Intl.RelativeTimeFormat('${pick(locales)}'${text(o)}).${pick(['format', 'format', 'formatToParts'])}(${value}, '${unit}')`;
    },
    plural() {
      const o = {};
      if (chance(0.5)) o.type = pick(['cardinal', 'ordinal']);
      digits(o);
      const rules = `new Intl.PluralRules('${pick(locales)}'${text(o)})`;
      const value = () => (chance(0.6) ? String(integer(130)) : number().replace('n', ''));
      if (chance(0.1)) return `${rules}.resolvedOptions().pluralCategories`;
      return chance(0.8) ? `${rules}.select(${value()})` : `${rules}.selectRange(${value()}, ${value()})`;
    },
    names() {
      const o = { type: pick(Object.keys(codes)) };
      if (chance(0.6)) o.style = pick(['long', 'short', 'narrow']);
      if (chance(0.3)) o.fallback = pick(['code', 'none']);
      if (o.type === 'language' && chance(0.3)) o.languageDisplay = pick(['dialect', 'standard']);
      return `new Intl.DisplayNames('${pick(locales)}'${text(o)}).of('${pick(codes[o.type])}')`;
    },
    locale() {
      const tag = pick(tags);
      switch (integer(6)) {
        case 0: return `Intl.getCanonicalLocales('${tag}')`;
        case 1: return `Intl.NumberFormat.supportedLocalesOf(['${pick(known)}', '${pick(known)}'])`;
        case 2: return `new Intl.NumberFormat('${pick(known)}'${text(numberOptions())}).resolvedOptions()`;
        case 3: return `new Intl.Locale('${tag}').${pick(['maximize', 'minimize'])}().toString()`;
        case 4: {
          const o = {};
          if (chance(0.3)) o.language = pick(['de', 'fr', 'zz', 'x']);
          if (chance(0.3)) o.script = pick(['Latn', 'Cyrl', 'a']);
          if (chance(0.3)) o.region = pick(['US', '419', 'AT']);
          if (chance(0.3)) o.calendar = pick(['buddhist', 'iso8601', 'islamicc']);
          if (chance(0.3)) o.numeric = pick([true, false]);
          if (chance(0.3)) o.hourCycle = pick(['h12', 'h23', 'h25']);
          return `new Intl.Locale('${tag}'${text(o)}).toString()`;
        }
      }
      return `new Intl.Locale('${pick(known)}').${pick(['language', 'script', 'region', 'baseName', 'calendars', 'hourCycles', 'numberingSystems', 'textInfo', 'weekInfo', 'numeric'])}`;
    },
  };

  const evaluate = (expression) => {
    try {
      const value = (0, eval)(expression);
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    } catch (error) {
      return `${error.name}: ${error.message}`;
    }
  };
  return Array.from({ length: count }, () => {
    const expression = areas[area]();
    return [expression, evaluate(expression)];
  });
}
