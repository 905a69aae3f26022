const { marked, Lexer } = require('marked');
return JSON.stringify([
  marked.parse('# Hi\n\n- *a*\n- [x] `b`\n\n| a |\n|---|\n| 1 |\n\n```js\nx < 1\n```'), marked.parseInline('**b** <i>'),
  Lexer.lex('> q')[0].type,
  await marked.use({ async: true }).parse('x'),
]);
