// util.parseEnv: the variables of a .env file.
(function (kernel, require, module) {
  'use strict';
  const { validateString } = require('internal/validators');

  module.exports = (content) => {
    validateString(content, 'content');
    const variables = {};
    let rest = content.replace(/\r\n?/g, '\n');
    while (rest !== '') {
      const line = /^[^\n]*/.exec(rest)[0];
      const equals = line.indexOf('=');
      let end = line.length;
      if (equals > 0 && !line.trimStart().startsWith('#')) {
        const name = line.slice(0, equals).trim().replace(/^export\s+/, '');
        const begin = equals + 1 + /^[ \t]*/.exec(line.slice(equals + 1))[0].length;
        const quote = /["'`]/.test(line[begin] ?? '') ? line[begin] : '';
        const close = quote === '' ? -1 : rest.indexOf(quote, begin + 1);
        let value;
        if (close >= 0) { // it may go over several lines
          value = rest.slice(begin + 1, close);
          if (quote === '"') value = value.replaceAll('\\n', '\n');
          end = rest.indexOf('\n', close);
          if (end < 0) end = rest.length;
        } else {
          value = line.slice(begin).split('#')[0].trim();
        }
        if (name !== '') variables[name] = value;
      }
      rest = rest.slice(end + 1);
    }
    return variables;
  };
})
