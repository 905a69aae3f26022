// Microtasks that queue microtasks go on after the script has returned.
// ends: time limit
queueMicrotask(function again() {
  queueMicrotask(again);
});
