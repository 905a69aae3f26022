// A class never gets ready, because its static block loops.
// ends: time limit
class Never {
  static value = 1;
  static {
    while (Never.value) Never.value++;
  }
}
return Never.value;
