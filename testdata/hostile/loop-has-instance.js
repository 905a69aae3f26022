// The operator instanceof asks a class, which does not answer.
// ends: time limit
class Any {
  static [Symbol.hasInstance](value) {
    for (;;) if (value === Any) return true;
  }
}
return {} instanceof Any;
