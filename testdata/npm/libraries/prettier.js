const prettier = require('prettier');
const parse = (text, parser, options) => prettier.format(text, { parser, ...options });
return JSON.stringify([
  await parse('const a={b:1,c:[1,2,3]};function f( x,y ){return x+y}', 'babel', { singleQuote: true }),
  await parse('type A<T>={a:T|null,b?:string}', 'typescript'),
  await parse('a{color:red;b:c}', 'css'), await parse('{"a":1,"b":[]}', 'json'), await parse('# T\n* a\n* b',
    'markdown'), await parse('a:   1\nb:\n    - x', 'yaml'),
  await parse('<div><p>x</p></div>', 'html'),
]);
