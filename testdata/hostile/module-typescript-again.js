// A large file in TypeScript is changed and imported again and again.
// ends: time limit
const text = Array.from({ length: 1000 }, (_, i) => `export const a${i}: number = ${i} as number;`).join('\n');
for (let i = 0; ; i++) {
  fs.writeFileSync(`/a${i}.ts`, text);
  await import(`/a${i}.ts`);
}
