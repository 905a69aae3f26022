// Numbers with hundreds of thousands of digits stand in the source.
// ends: time limit or memory limit
const digits = '9'.repeat(2e5);
for (;;) (0, eval)(`${digits}; ${digits}n; 0.${digits}; 0x${digits}; 0b${'1'.repeat(1e5)}n`);
