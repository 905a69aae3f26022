// Two modules import each other, and both wait at their top level.
// ends: returns a b
fs.writeFileSync('/a.js',
  `import { b } from './b.js'; export const a = 'a'; await 0; export const both = () => a + ' ' + b;`);
fs.writeFileSync('/b.js', `import { a } from './a.js'; export const b = 'b'; await 0; export const other = () => a;`);
const { both } = await import('/a.js');
return both();
