// Files that are not there are asked for without an end.
// ends: time limit
for (;;) {
  try {
    await fs.readFile('/missing');
  } catch {}
}
