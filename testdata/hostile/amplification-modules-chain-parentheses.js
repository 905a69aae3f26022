// Imports a chain of 100 modules, each of which is 2000 parentheses deep.
// ends: returns 100 or memory limit or exception
// grows: 228 MiB
const nested = '('.repeat(2000) + '1' + ')'.repeat(2000);
for (let i = 0; i < 100; i++)
  fs.writeFileSync(`/m/${i}.js`, `import next from './${i + 1}.js'; export default 1 + next; ${nested}`);
fs.writeFileSync('/m/100.js', 'export default 0');
return (await import('/m/0.js')).default;
