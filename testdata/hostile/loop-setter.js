// Object.assign writes to a setter that does not come back.
// ends: time limit
class Target {
  set value(v) {
    for (;;) v++;
  }
}
Object.assign(new Target(), { value: 1 });
