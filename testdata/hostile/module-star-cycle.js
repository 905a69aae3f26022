// Modules that export all of each other are asked for a name that none of them has.
// ends: exception SyntaxError
fs.writeFileSync('/a.js', `export * from './b.js';`);
fs.writeFileSync('/b.js', `export * from './a.js'; export * from './b.js';`);
fs.writeFileSync('/c.js', `import { missing } from './a.js'; export default missing;`);
return (await import('/c.js')).default;
