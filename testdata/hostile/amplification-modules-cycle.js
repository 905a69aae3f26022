// Imports a ring of 190 modules, each of which is 1500 calls deep.
// ends: returns function or memory limit or exception
// grows: 228 MiB
const nested = 'Number('.repeat(1500) + '1' + ')'.repeat(1500);
for (let i = 0; i < 190; i++) {
  fs.writeFileSync(`/m/${i}.js`,
    `import next from './${(i + 1) % 190}.js'; export default function f() { return next; } export const value = ${nested};`);
}
return typeof (await import('/m/0.js')).default;
