// A constructor makes an object of its own class.
// ends: exception RangeError
class Again {
  constructor() {
    this.inner = new Again();
  }
}
new Again();
