// A text for atob has a space behind each character.
// ends: time limit
const text = 'A \n'.repeat(1e6);
for (;;) {
  try {
    atob(text);
  } catch {}
}
