// Modules that import each other export what they have imported from a third one, before that is linked.
// ends: returns 5,7 5,7
await fs.writeFile('/own.mjs', 'export const x = 5, y = { 6: 7 };');
const names = [];
for (const n of [1, 2]) {
  await fs.writeFile(`/first${n}.mjs`,
    `import { f } from './second${n}.mjs'; import { x, y } from './own.mjs'; export { x, y as z }; export default f();`);
  await fs.writeFile(`/second${n}.mjs`,
    `import { x, z } from './first${n}.mjs'; export function f() { return [x, z[6]].join() }`);
  try {
    names.push((await import(`/first${n}.mjs`)).default);
  } catch (e) {
    names.push(e.name);
  }
}
const whole = await import('/own.mjs');
if (whole.x !== 5 || whole.y[6] !== 7) names.push('changed');
return names.join(' ');
