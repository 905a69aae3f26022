// Reflect.apply and Reflect.construct call each other.
// ends: exception RangeError
function again() {
  return new.target ? Reflect.apply(again, null, []) : Reflect.construct(again, []);
}
again();
