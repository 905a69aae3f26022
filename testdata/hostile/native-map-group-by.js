// Map.groupBy puts a repeating iterator into one group that never ends.
// ends: memory limit or time limit
function* same() {
  for (;;) yield 1;
}
return Map.groupBy(same(), () => 'one').size;
