// Each less-than sign could begin the type arguments of a call, and all that follows is read to find out.
// ends: time limit
for (let i = 0; ; i++) {
  fs.writeFileSync(`/a${i}.ts`, 'let a: any = 1, b = 2, c = 3; a = ' + ('a<b<'.repeat(18) + 'c;').repeat(500));
  try {
    await import(`/a${i}.ts`);
  } catch {}
}
