// Imports a tree of 255 modules, each of which is 1500 calls deep.
// ends: returns 255 or memory limit or exception
// grows: 228 MiB
const nested = 'Number('.repeat(1500) + '1' + ')'.repeat(1500);
for (let i = 1; i < 256; i++) {
  const imports = i < 128 ? `import left from './${2 * i}.js'; import right from './${2 * i + 1}.js';`
    : 'const left = 0, right = 0;';
  fs.writeFileSync(`/m/${i}.js`, `${imports} export default ${nested} + left + right;`);
}
return (await import('/m/1.js')).default;
