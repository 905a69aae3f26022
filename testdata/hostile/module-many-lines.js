// A file of a million empty lines fails at its end, and each place in it has to be found.
// ends: time limit
fs.writeFileSync('/a.js', '\n'.repeat(1e6) + 'throw new Error("end");');
for (;;) {
  try {
    require('/a.js');
  } catch (error) {
    console.log(error);
  }
}
