// The keys of a class are computed by code that does not end, while the class is only half there.
// ends: time limit
class Keys {
  [(() => {
    for (;;) {}
  })()]() {}
}
return Keys;
