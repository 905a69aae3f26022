// Imports a chain of 5000 modules.
// ends: returns 5000 or memory limit or exception
// grows: 228 MiB
for (let i = 0; i < 5000; i++)
  fs.writeFileSync(`/m/${i}.js`, `import next from './${i + 1}.js'; export default 1 + next;`);
fs.writeFileSync('/m/5000.js', 'export default 0');
return (await import('/m/0.js')).default;
