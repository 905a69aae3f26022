// A module waits at its top level for its own import.
// ends: never settles
fs.writeFileSync('/a.js', `await import('/a.js'); export default 1;`);
return (await import('/a.js')).default;
