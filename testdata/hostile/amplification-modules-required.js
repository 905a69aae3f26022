// Requires a chain of 190 modules, each of which is 1500 calls deep.
// ends: returns 190 or memory limit or recursion limit or exception
// grows: 228 MiB
const nested = 'Number('.repeat(1500) + '1' + ')'.repeat(1500);
for (let i = 0; i < 190; i++)
  fs.writeFileSync(`/m/${i}.cjs`, `module.exports = ${nested} + require('./${i + 1}.cjs');`);
fs.writeFileSync('/m/190.cjs', 'module.exports = 0');
return require('/m/0.cjs');
