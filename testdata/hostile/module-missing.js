// Modules that do not exist are asked for, under new names that look alike.
// ends: time limit
for (let i = 0; ; i++) {
  try {
    await import(`/missing-${i}/../a/./b${i}.js`);
  } catch {}
}
