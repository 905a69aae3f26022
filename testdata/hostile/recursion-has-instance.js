// Symbol.hasInstance asks the operator that it answers for.
// ends: exception RangeError
class Again {
  static [Symbol.hasInstance](value) {
    return value instanceof Again;
  }
}
return 1 instanceof Again;
