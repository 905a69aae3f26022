// The register of symbols is asked for long names which it has not seen.
// ends: time limit or memory limit
for (let i = 0; ; i++) Symbol.for('x'.repeat(1000) + i);
