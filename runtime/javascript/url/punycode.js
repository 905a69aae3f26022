// punycode (RFC 3492)
(function (kernel, require, module, exports) {
  'use strict';
  const base = 36, low = 1, high = 26, skew = 38, damp = 700, firstBias = 72, firstCode = 128;
  const max = 0x7fffffff;
  const overflow = () => new RangeError('Overflow: input needs wider integers to process');

  const adapt = (delta, count, first) => {
    let k = 0;
    delta = first ? Math.floor(delta / damp) : delta >> 1;
    delta += Math.floor(delta / count);
    for (; delta > ((base - low) * high) >> 1; k += base) delta = Math.floor(delta / (base - low));
    return Math.floor(k + ((base - low + 1) * delta) / (delta + skew));
  };
  const threshold = (k, bias) => (k <= bias ? low : k >= bias + high ? high : k - bias);
  const digitOf = (n) => String.fromCharCode(n < 26 ? n + 97 : n + 22);
  const valueOf = (c) => (c >= 48 && c < 58 ? c - 22 : c >= 65 && c < 91 ? c - 65 : c >= 97 && c < 123 ? c - 97 : base);

  const decode2 = (text) => Array.from(text, (c) => c.codePointAt(0));
  const encode2 = (codes) => codes.map((code) => String.fromCodePoint(code)).join('');

  const decode = (input) => {
    const output = [];
    const basic = Math.max(0, input.lastIndexOf('-'));
    for (let j = 0; j < basic; j++) {
      if (input.charCodeAt(j) >= 0x80) throw new RangeError('Illegal input >= 0x80 (not a basic code point)');
      output.push(input.charCodeAt(j));
    }
    let n = firstCode;
    let i = 0;
    let bias = firstBias;
    for (let at = basic > 0 ? basic + 1 : 0; at < input.length;) {
      const before = i;
      for (let weight = 1, k = base; ; k += base) {
        if (at >= input.length) throw new RangeError('Invalid input');
        const digit = valueOf(input.charCodeAt(at++));
        if (digit >= base) throw new RangeError('Invalid input');
        if (digit > Math.floor((max - i) / weight)) throw overflow();
        i += digit * weight;
        const t = threshold(k, bias);
        if (digit < t) break;
        if (weight > Math.floor(max / (base - t))) throw overflow();
        weight *= base - t;
      }
      const count = output.length + 1;
      bias = adapt(i - before, count, before === 0);
      if (Math.floor(i / count) > max - n) throw overflow();
      n += Math.floor(i / count);
      i %= count;
      output.splice(i++, 0, n);
    }
    return String.fromCodePoint(...output);
  };

  const encode = (text) => {
    const input = decode2(text);
    const basic = input.filter((code) => code < 0x80);
    let output = String.fromCodePoint(...basic);
    let handled = basic.length;
    if (handled) output += '-';
    let n = firstCode;
    let delta = 0;
    let bias = firstBias;
    while (handled < input.length) {
      let next = max;
      for (const code of input) if (code >= n && code < next) next = code;
      if (next - n > Math.floor((max - delta) / (handled + 1))) throw overflow();
      delta += (next - n) * (handled + 1);
      n = next;
      for (const code of input) {
        if (code < n && ++delta > max) throw overflow();
        if (code !== n) continue;
        let q = delta;
        for (let k = base; ; k += base) {
          const t = threshold(k, bias);
          if (q < t) break;
          output += digitOf(t + ((q - t) % (base - t)));
          q = Math.floor((q - t) / (base - t));
        }
        output += digitOf(q);
        bias = adapt(delta, handled + 1, handled === basic.length);
        delta = 0;
        handled++;
      }
      delta++;
      n++;
    }
    return output;
  };

  const eachLabel = (domain, f) => {
    const at = domain.indexOf('@');
    const name = domain.slice(at + 1).replace(/[\x2E\u3002\uFF0E\uFF61]/g, '.');
    return domain.slice(0, at + 1) + name.split('.').map(f).join('.');
  };
  Object.assign(exports, {
    version: '2.1.0',
    ucs2: { decode: decode2, encode: encode2 },
    decode,
    encode,
    toASCII: (domain) => eachLabel(domain, (label) => (/[^\0-\x7F]/.test(label) ? `xn--${encode(label)}` : label)),
    toUnicode: (domain) => eachLabel(domain,
      (label) => (/^xn--/.test(label) ? decode(label.slice(4).toLowerCase()) : label)),
  });
})
