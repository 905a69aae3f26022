// A labelled continue starts an outer loop again before the inner one can end.
// ends: time limit
outer: do {
  for (let i = 0; i < 10; i++) {
    if (i === 9) continue outer;
  }
} while (false || outerGoesOn());

function outerGoesOn() {
  return true;
}
