// While half of the memory is in use and stays, garbage forces the collector to go through all of it.
// ends: time limit
const kept = [];
for (let i = 0; i < 2e5; i++) kept.push({ i, other: kept[i >> 1] });
for (;;) {
  const garbage = { kept };
  garbage.self = garbage;
}
