// Imports TypeScript with 26 000 comments that are to be kept, which its parser is slow with.
// ends: exception
// grows: 228 MiB
fs.writeFileSync('/a.ts', 'export const a: number = 1;' + '/*!*/'.repeat(26000));
await import('/a.ts');
