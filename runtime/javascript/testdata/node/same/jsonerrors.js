// What JSON.parse says of texts that are nearly JSON: each is made of one that is, by changes that a generator chooses.
'use strict';
const texts = ['{"name":"Alpha","n":[1,2.5,-3e+4,0],"ok":true,"no":null,"f":false}',
  '[]', '{}', '"text \\u00e9\\n"', '-12.5e-3', 'true',
  '[[[[1]]],{"a":{"b":[{}]}}]', '{"ключ":"значение","emoji":"😀 and more"}', ' \n[ 1 , 2 ,\t3 ] \r\n',
  JSON.stringify({ users: [{ id: 1, name: 'Ann', tags: ['a', 'b'] }, { id: 2, name: 'Bob', tags: [] }],
    total: 2 }, null, 2)];
const parts = ['', ',', ':', '"', "'", '{', '}', '[', ']', '\\', '\n', '\t', '\0',
  '0', '1', '-', '.', 'e', 'E+', 'true', 'nul', 'x', 'undefined', 'NaN', '/*',
  '//', 'é', '😀', '\u2028', ' ', '\\u12', '\\q', '\\😀', '00', '01', '1.', '-x', '`', '\u00a0', '\ufeff', 'Infinity'];

let seed = 20;
const random = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return Math.floor((seed / 2 ** 32) * n);
};
const message = (text) => {
  try {
    JSON.parse(text);
    return 'valid';
  } catch (error) {
    return `${error.name}: ${error.message.toWellFormed?.() ?? error.message}`;
  }
};
const answers = {};
const count = globalThis.jsonErrors ?? 600;
for (let i = 0; i < count; i++) {
  let characters = [...texts[random(texts.length)]];
  for (let changes = 1 + random(2); changes > 0; changes--) {
    const at = random(characters.length + 1);
    switch (random(5)) {
      case 0: characters = characters.slice(0, at); break;
      case 1: characters.splice(at, 1 + random(3)); break;
      case 2: characters = characters.slice(at); break;
      default: characters.splice(at, random(2), ...parts[random(parts.length)]);
    }
  }
  const text = characters.join('');
  answers[JSON.stringify(text)] = message(text);
}
for (const value of [undefined, NaN, Infinity, 'undefined', 'NaN', '', ' ', '1'.repeat(30) + 'x',
  'x'.repeat(21), `[${'1,'.repeat(500)}]`, '"'.padEnd(30, 'a'),
  '[Object object]', "{'a': 1}", '{a: 1}', '{"a": 1,}', '[1, 2,]', '<!DOCTYPE html>',
    '{"a": undefined}', '{"a": NaN}', 'Hello', '{"a":1}{"b":2}']) {
  answers[`of ${JSON.stringify(value)} ${typeof value}`] = message(value);
}
answers['in another text'] = message(`${'[1,'.repeat(3)}{"a":"b}`.slice(2));

module.exports = answers;
