// Syntax errors are made as fast as the parser can.
// ends: time limit
for (let i = 0; ; i++) {
  try {
    new Function('let x = (' + i + ';');
  } catch {}
}
