// Returns what random regular expressions find in random texts, one of each per line.
(function (seed, count) {
  const random = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff; return (seed >>> 8) % n; };
  const pick = (list) => list[random(list.length)];

  const characters = ['a', 'b', 'c', 'A', 'k', 'K', 's', '1', '2', ' ', '-', '\\n', '_', 'é', 'ÿ', 'µ', '\\u2028',
    '\\ud83d', '\\ude00', '\ud83d\ude00', 'ſ', '\u212a', 'Ж', 'ab', 'abc', 'a1', '12'];
  const classes = ['\\w', '\\d', '\\s', '\\W', '\\D', '\\S', '.', '[^]', '[a-c]', '[^abc]', '[a-zA-Z]', '[\\w.]',
    '[0-9]', '[^k]', '[\\s\\d]', '[é-ÿ]', '[\\^a]', '[\\ud83d\\ude00a]', '[\\d_x-z]', '[^ac1 -]', '[\\s\\S]'];
  // Groups are not repeated without end, so that no expression takes exponential time.
  const some = ['?', '??', '{2}', '{1,3}', '{0,2}?', '{0}'], many = ['*', '+', '*?', '+?', '{2,}', '{3,4}?', ...some];
  const atom = (depth) => {
    switch (random(depth > 1 ? 9 : 12)) {
    case 0: case 1: case 2: case 3: return pick(characters);
    case 4: case 5: case 6: return pick(classes);
    case 7: return pick(['\\b', '\\B', '^', '$']);
    case 8: return '\\' + (1 + random(3));
    case 9: return '(?:' + alternatives(depth + 1) + ')';
    case 10: return pick(['(?=', '(?!', '(?<=', '(?<!']) + alternatives(depth + 1) + ')';
    default: return '(' + alternatives(depth + 1) + ')';
    }
  };
  const term = (depth) => {
    const text = atom(depth), bare = /^(\\[bB]|\^|\$|\(\?[=!<])/.test(text) || random(2);
    return bare ? text : text + pick(text.startsWith('(') ? some : many);
  };
  const alternatives = (depth) => {
    let text = '';
    for (;;) {
      for (let i = random(4); i >= 0; i--) text += term(depth);
      if (random(4)) return text;
      text += '|';
    }
  };

  const bytes = ['a', 'b', 'c', 'A', 'B', 'k', 'K', 's', 'S', '1', '2', '12', ' ', '-', '\n', '\r', '_', 'é', 'ÿ', 'µ',
    'abc', 'ab'];
  const wide = ['a', 'b', 'c', 'K', '1', ' ', '\n', 'é', '\u2028', '\ud83d\ude00', '\ud83d\ude00', '\ud83d', '\ude00',
    'ſ', '\u212a', 'Ж', '\ud83da'];
  const flags = ['', 'g', 'i', 'm', 's', 'u', 'y', 'gi', 'gm', 'iu', 'gu', 'd', 'gims', 'su', 'iy', 'muy', 'u', 'gu'];

  // Groups of an attempt that has failed, and halves of pairs.
  const known = [['(?:(a)x*b|c)', '', 'aac'], ['(?:(.)(.)(a)x*b|c)', 'g', '12a12ac'], ['(a)?(?:(b)x|c)', 's', 'abc'],
    ['(?:(a*)b|[^]{2})', 'y', 'aaa'], ['[^a]b', 'u', '\ud83d\ude00b'], ['.\\ude00', 'u', '\ud83d\ude00'],
    ['[^a]+\\ude00', '', '\ud83d\ude00'], ['[^a]{2}b', 'gu', '\ud83d\ude00b\ud83d\ude00cb']];

  const lines = [];
  for (let n = 0; n < count; n++) {
    let source = alternatives(0), flag = pick(flags), text = '';
    for (let i = random(9); i > 0; i--) text += pick(n % 2 ? bytes : wide);
    if (n < known.length) [source, flag, text] = known[n];
    const found = [];
    try {
      const pattern = new RegExp(source, flag);
      if (pattern.global || pattern.sticky) {
        pattern.lastIndex = random(4);
        for (let i = 0, match; i < 8 && (match = pattern.exec(text)); i++) {
          found.push([match.index, pattern.lastIndex, ...match]);
          if (match[0] === '') pattern.lastIndex++;
        }
        found.push(text.replace(pattern, '<$&$1>'));
      } else {
        const match = pattern.exec(text);
        found.push(match && [match.index, ...match], text.search(pattern), text.split(pattern));
      }
    } catch (error) {
      found.push(error.name);
    }
    lines.push(`/${source}/${flag} in ${JSON.stringify(text)}: ${JSON.stringify(found)}`);
  }
  return lines.join('\n');
})
