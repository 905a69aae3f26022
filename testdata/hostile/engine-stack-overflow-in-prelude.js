// Functions of the prelude run out of stack in the middle, at each depth that there is, and must work after that.
// ends: returns x 1
fs.writeFileSync('/a', 'x');
const at = (n) => {
  if (n > 0) return at(n - 1);
  try {
    console.log([{}]);
    fs.readFileSync('/a', 'utf8');
    echo(1);
    new URL('http://a');
  } catch {}
};
const deepest = () => {
  let n = 0;
  const down = () => {
    n++;
    down();
  };
  try {
    down();
  } catch {}
  return n;
};
const most = deepest();
for (let i = 1; i < 400; i += 7) {
  try {
    at(most - i);
  } catch {}
}
return fs.readFileSync('/a', 'utf8') + ' ' + echo(1)[0];
