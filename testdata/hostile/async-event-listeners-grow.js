// Listeners add listeners while their event is dispatched.
// ends: time limit or memory limit
const target = new EventTarget();
target.addEventListener('event', function add() {
  target.addEventListener('event', () => add());
});
for (;;) target.dispatchEvent(new Event('event'));
