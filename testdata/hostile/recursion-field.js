// A field of a class is initialised with an object of the class.
// ends: exception RangeError
class Again {
  inner = new Again();
}
new Again();
