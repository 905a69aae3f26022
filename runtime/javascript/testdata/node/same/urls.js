// url, querystring, punycode and string_decoder.
'use strict';
const url = require('url');
const querystring = require('querystring');
const punycode = require('punycode');
const { StringDecoder } = require('string_decoder');
const { inspect } = require('util');

const answers = {};
const answer = (name, f) => {
  try {
    answers[name] = inspect(f(), { depth: 4, breakLength: 100 });
  } catch (error) {
    answers[name] = `${error.name} ${error.code} ${error.message}`;
  }
};

const urls = [
  'http://user:pass@example.com:8080/p/a/t/h?query=string#hash',
  '//some_path',
  'HTTP://www.example.com/',
  'http://example.com',
  'http://example.com?a=1',
  'x:1',
  'javascript:alert(1)',
  '/a/b?c=d#e',
  'a/b/c',
  '?q',
  '#h',
  '',
  " http://x.y.com/path?that's#all, folks ",
  'http://a@b@c/',
  'http://a.com/\t\nbc',
  'mailto:foo@bar.com?subject=hello',
  'file:///etc/passwd',
  'file://localhost/etc',
  'http://[fe80::1]:81/x',
  'http://[::1]',
  'http://x.com\\a\\b?c\\d',
  'http://user%40x:p%3Aw@h/',
  'http://ex ample.com/a b',
  'coap:u:p@[::1]:61616/.well-known/r?n=T#c',
  'http://www.ÄÖÜ.com/',
  'http://a_b/c',
  'svn+ssh://foo/bar',
  'dash-test:foo/bar',
  '//u:p@h/p',
  '///x',
  'http:/a',
  'http:a',
  'http://h:/x',
  'http://h?#',
  'http://h/{a}|b^`"',
  'HtTp://x.y.cOm;a/b/c?d=e#f g<h>i',
  'tel:+1',
  'data:text/plain,hi',
  'blob:x',
  'http://example.com/?a=1&a=2&b=%20',
];
for (const text of urls) {
  answer(`parse ${text}`, () => url.parse(text));
  answer(`parse with query ${text}`, () => url.parse(text, true).query);
  answer(`parse with host ${text}`, () => url.parse(text, false, true));
  answer(`format ${text}`, () => url.format(text));
}
for (const base of [
  'http://a.com/b/c/d?q#h',
  '/one/two/three',
  'http://example.com',
  'file:///x/y',
  'mailto:u@h.com',
  '.',
  'http://u:p@h.com/x',
  'a/b',
  '',
]) {
  for (const relative of [
    '',
    '/x',
    'x',
    './x',
    '../x',
    '../../../x',
    '?y',
    '#z',
    '//g',
    'http://n/m',
    'https:p',
    '.',
    '..',
    'x/..',
    'g;x=1/../y',
    '//',
    'mailto:a@b',
    '/../x',
    'http:#hash',
  ]) {
    answer(`resolve ${base} ${relative}`, () => url.resolve(base, relative));
  }
}
const objects = [
  { protocol: 'http', host: 'h.com', pathname: 'a', query: { a: 1, b: [2, 3] } },
  { hostname: '::1', port: 80, protocol: 'http:' },
  { pathname: '/a?b#c', search: 'x#y' },
  { protocol: 'mailto', auth: 'u', hostname: 'h' },
  { protocol: 'file', pathname: '/x' },
  { slashes: true, pathname: 'x' },
  {},
  { query: {} },
  { auth: 'a:b@', host: 'h' },
];
objects.forEach((object, i) => answer(`format object ${i}`, () => url.format(object)));
for (const options of [undefined, { fragment: false }, { search: false, auth: false }, { unicode: true }]) {
  answer(`format URL ${inspect(options)}`, () =>
    url.format(new URL('http://u:p@xn--lck1c3crb1723bpq4a.com/a?a=b#c'), options),
  );
}
for (const file of ['file:///a/b%20c', 'file:///%E4%BD%A0.txt', 'http://x/', 'file://host/x', 'file:///a%2fb', 5, null])
  answer(`fileURLToPath ${file}`, () => url.fileURLToPath(file));
for (const path of ['/a b', '/x#y', '/%', '/a?b', '/dir/', 5])
  answer(`pathToFileURL ${path}`, () => url.pathToFileURL(path).href);
for (const name of ['español.com', '中文.com', 'xn--iñvalid.com', 'a.b'])
  answer(`domain ${name}`, () => [url.domainToASCII(name), url.domainToUnicode(url.domainToASCII(name))]);
answer('urlToHttpOptions', () => url.urlToHttpOptions(new URL('https://a:b@測試.com:81/x?y#z')));
for (const value of [undefined, null, 5, {}]) {
  answer(`parse value ${value}`, () => url.parse(value));
  answer(`format value ${value}`, () => url.format(value));
}

const queries = [
  'a=1&b=2&a=3',
  'a',
  '=',
  '&&',
  'a=b=c',
  '%zz=1',
  'a=%E4%BD%A0',
  'a+b=c+d',
  'a[]=1&a[]=2',
  '__proto__=1&x=2',
  'a=%C3%28',
  '',
  'x=1;y=2',
  '&a&',
  'a=&b=',
];
for (const text of queries) {
  answer(`qs parse ${text}`, () => querystring.parse(text));
  answer(`qs parse ; ${text}`, () => querystring.parse(text, ';', ':'));
}
answer('qs max', () => querystring.parse('a=1&b=2&c=3', null, null, { maxKeys: 2 }));
for (const object of [
  { a: 1, b: [1, 'x', true, null], c: '', d: NaN, e: 5n, 'k y': 'ä&=' },
  {},
  null,
  'x',
  { a: {} },
  ['x', 'y'],
]) {
  answer(`qs stringify ${inspect(object)}`, () => [
    querystring.stringify(object),
    querystring.stringify(object, ';', ':'),
  ]);
}
for (const text of ['a b', 'ä', '\ud800', "~!*()'", {}, 5])
  answer(`qs escape ${inspect(text)}`, () => querystring.escape(text));
for (const text of ['a%20b', '%', '%zz', '%E4']) answer(`qs unescape ${text}`, () => querystring.unescape(text));

for (const text of ['mañana', 'München-Ost', '他们为什么不说中文', 'a', '', '☃-⌘', '\u{1F600}x']) {
  answer(`punycode ${text}`, () => [
    punycode.encode(text),
    punycode.decode(punycode.encode(text)),
    punycode.toASCII(`${text}.com`),
    punycode.toUnicode(punycode.toASCII(`a@${text}。x`)),
  ]);
}
for (const text of ['\x80', 'a-\x80', '!!!!!!', 'zzzzzzzzzzzzz'])
  answer(`punycode decode ${inspect(text)}`, () => punycode.decode(text));

const bytes = Buffer.from('aé€😀z', 'utf8');
for (const encoding of [
  undefined,
  'utf8',
  'utf16le',
  'base64',
  'base64url',
  'hex',
  'latin1',
  'ascii',
  'UCS2',
  'nope',
]) {
  for (const step of /16|ucs/i.test(encoding) ? [2, 3, 5] : [1, 2, 3, 5]) {
    answer(`decoder ${encoding} ${step}`, () => {
      const decoder = new StringDecoder(encoding);
      const out = [decoder.encoding];
      const source = /16|ucs/i.test(encoding) ? Buffer.from('aé😀', 'utf16le') : bytes;
      for (let i = 0; i < source.length; i += step) out.push(decoder.write(source.subarray(i, i + step)));
      out.push(decoder.end());
      return out;
    });
  }
}
for (const odd of [[0xe2], [0xe2, 0x82], [0xf0, 0x9f], [0xc0], [0xff, 0xc3], [0xed, 0xa0], [0x80], [0xe0, 0x80]]) {
  answer(`decoder end ${odd}`, () => {
    const decoder = new StringDecoder();
    return [decoder.write(Buffer.from(odd)), decoder.end(), decoder.write(Buffer.from([0x41]))];
  });
}
module.exports = answers;
