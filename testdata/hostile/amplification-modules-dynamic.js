// Imports 190 modules dynamically, each of which imports the next one and is 1500 calls deep.
// ends: returns 190 or memory limit or exception
// grows: 228 MiB
const nested = 'Number('.repeat(1500) + '1' + ')'.repeat(1500);
for (let i = 0; i < 190; i++)
  fs.writeFileSync(`/m/${i}.js`, `export default ${nested} + (await import('./${i + 1}.js')).default;`);
fs.writeFileSync('/m/190.js', 'export default 0');
return (await import('/m/0.js')).default;
