// Patterns of paths, for path.matchesGlob: * ? [abc] {a,b} and **, which is any number of directories. Names that begin
// with a dot are matched by patterns that do. In patterns, a backslash is a slash.
(function (kernel, require, module) {
  'use strict';
  const { validateString } = require('internal/validators');

  // expand returns the patterns that alternatives in braces stand for.
  const expand = (pattern) => {
    const found = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern);
    if (!found) return [pattern];
    return found[2].split(',').flatMap((choice) => expand(found[1] + choice + found[3]));
  };

  // matcher returns a function that tests a part of a path.
  const matcher = (part) => {
    if (part === '**') return part;
    let source = /^[.[]/.test(part) ? '' : '(?!\\.)';
    for (let i = 0; i < part.length; i++) {
      const set = part[i] === '[' ? /^\[([!^]?)(\]?[^\]]*)\]/.exec(part.slice(i)) : null;
      if (set) {
        source += `[${set[1] && '^'}${set[2].replace(/[\]\\[]/g, '\\$&')}]`;
        i += set[0].length - 1;
      } else if (part[i] === '*') {
        source += '[^/]*';
      } else {
        source += part[i] === '?' ? '[^/]' : part[i].replace(/[.+^${}()|\\\]\[]/, '\\$&');
      }
    }
    const pattern = new RegExp(`^${source}$`, 's');
    return (name) => pattern.test(name);
  };

  // match tests the parts of a path from an index, with the tests of a pattern from another.
  const match = (parts, tests, seen = new Set(), i = 0, j = 0) => {
    for (; j < tests.length; i++, j++) {
      if (tests[j] !== '**') {
        if (i >= parts.length || !tests[j](parts[i])) return false;
        continue;
      }
      if (seen.has(i * (tests.length + 1) + j)) return false;
      seen.add(i * (tests.length + 1) + j);
      for (let skip = i; skip <= parts.length; skip++) {
        if (match(parts, tests, seen, skip, j + 1)) return true;
        if (skip < parts.length && parts[skip][0] === '.') return false;
      }
      return false;
    }
    return i === parts.length;
  };

  module.exports = (path, pattern, windows) => {
    validateString(path, 'path');
    validateString(pattern, 'pattern');
    const parts = (windows ? path.replaceAll('\\', '/') : path).split('/');
    return expand(pattern.replaceAll('\\', '/')).some((choice) => match(parts, choice.split('/').map(matcher)));
  };
})
