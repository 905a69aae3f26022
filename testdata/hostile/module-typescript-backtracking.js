// What could be the types of an arrow function or not is parsed twice at each level.
// ends: exception
fs.writeFileSync('/a.ts', 'const x: number = ' + '(a ? (b, '.repeat(100) + 'c' + ') : d => e)'.repeat(100) + ';');
await import('/a.ts');
