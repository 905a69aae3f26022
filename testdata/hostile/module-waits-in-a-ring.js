// Modules wait for one another's imports in a ring.
// ends: never settles
for (let i = 0; i < 10; i++)
  fs.writeFileSync(`/m${i}.js`, `export default (await import('/m${(i + 1) % 10}.js')).default;`);
return (await import('/m0.js')).default;
