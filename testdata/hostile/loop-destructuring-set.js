// A Set is made of an iterator that repeats itself: its size stays small while it never ends.
// ends: time limit
function* same() {
  for (;;) yield 'x';
}
return new Set(same()).size;
