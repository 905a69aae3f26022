// Endless recursion is caught again and again, and must corrupt nothing.
// ends: returns RangeError,4000,[1,2],abc
function again() {
  return again() + 1;
}
const count = (n) => (n ? count(n - 1) + 1 : 0);
let caught;
for (let i = 0; i < 20; i++) {
  try {
    again();
  } catch (error) {
    caught = error.name;
  }
}
return [caught, count(4000), JSON.stringify([2, 1].sort()), 'ABC'.toLowerCase()].join();
