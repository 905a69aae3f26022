// Dates are written in all ways that there are.
// ends: time limit
for (let n = 0; ; n++) {
  const date = new Date(n * 1e9);
  date.toLocaleString('de-DE',
    { timeZone: 'Europe/Berlin' }) + date.toString() + date.toLocaleDateString() + date.toJSON();
}
