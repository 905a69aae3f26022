// A tree is made and removed.
// ends: time limit
for (;;) {
  for (let i = 0; i < 100; i++) fs.writeFileSync(`/t/a${i % 10}/b${i}`, 'x');
  fs.rmSync('/t', { recursive: true });
}
