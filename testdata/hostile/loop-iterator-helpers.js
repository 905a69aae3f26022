// Native iterator helpers look for a value that an endless iterator never has.
// ends: time limit
function* numbers() {
  for (let n = 0; ; n = (n + 1) % 1000) yield n;
}
return numbers().map((n) => n * 2).filter((n) => n > 5000).some((n) => n === -1);
