// Modules export what they import from the next one, in a long chain, which the engine follows for each of them.
// ends: returns 1 or time limit or memory limit or exception
const count = 1000;
for (let i = 0; i < count; i++) fs.writeFileSync(`/m${i}.mjs`, `import { x } from './m${i + 1}.mjs'; export { x };`);
fs.writeFileSync(`/m${count}.mjs`, 'export const x = 1;');
return (await import('/m0.mjs')).x;
