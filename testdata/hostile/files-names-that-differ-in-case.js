// Thousands of names differ only in case or in their normal form, of which there may be one.
// ends: returns 1
for (const name of ['é', 'e\u0301', 'É', 'E\u0301']) {
  for (let i = 0; i < 100; i++) {
    try {
      fs.writeFileSync('/' + name, 'x');
    } catch {}
  }
}
return fs.readdirSync('/').length;
