// A switch whose break leaves the switch only, and never the loop around it.
// ends: time limit
let state = 0;
for (;;) {
  switch (state) {
    case 0:
      state = 1;
      break;
    default:
      state = 0;
      break;
  }
}
