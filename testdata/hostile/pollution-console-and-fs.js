// Functions of console and fs are replaced by one another, called on other things, and by new.
// ends: returns x
fs.writeFileSync('/a', 'x');
const { readFileSync } = fs;
fs.readFileSync = fs.openSync = console.log;
console.log = fs.writeFileSync;
console.error.call({ groups: 1 }, 'error');
Reflect.apply(console.group, null, ['group']);
console.groupEnd.call(undefined);
return readFileSync.call(console, '/a', 'utf8');
