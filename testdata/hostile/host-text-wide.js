// A text of twenty million wide characters, which is three times as long in UTF-8, is handed to the host by all ways that there are.
// ends: time limit or memory limit
const text = '€'.repeat(2e7);
for (;;) {
  for (const use of [() => console.log(text), () => btoa(text), () => new URL(text),
    () => fs.existsSync(text), () => new TextEncoder().encodeInto(text, new Uint8Array(9))]) {
    try {
      use();
    } catch {}
  }
}
