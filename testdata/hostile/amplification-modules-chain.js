// Imports a chain of 190 modules, each of which is 1500 calls deep.
// ends: returns 190 or memory limit or exception
// grows: 228 MiB
const nested = 'Number('.repeat(1500) + '1' + ')'.repeat(1500);
for (let i = 0; i < 190; i++)
  fs.writeFileSync(`/m/${i}.js`, `import next from './${i + 1}.js'; export default ${nested} + next;`);
fs.writeFileSync('/m/190.js', 'export default 0');
return (await import('/m/0.js')).default;
