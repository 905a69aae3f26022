// TypeScript is nested so deep that its parser, which runs in the host's process, would overflow the stack there.
// ends: exception
fs.writeFileSync('/a.ts', 'const x: ' + 'Array<'.repeat(2e4) + 'number' + '>'.repeat(2e4) + ' = 1;');
await import('/a.ts');
