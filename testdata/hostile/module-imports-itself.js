// A module imports itself and reads what it has not yet exported.
// ends: exception ReferenceError
fs.writeFileSync('/a.js', `import * as self from './a.js'; export const value = self.value + 1;`);
return (await import('/a.js')).value;
