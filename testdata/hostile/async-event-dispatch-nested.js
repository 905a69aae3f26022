// A listener dispatches an event to which it listens.
// ends: exception RangeError
const target = new EventTarget();
target.addEventListener('event', () => target.dispatchEvent(new Event('event')));
target.dispatchEvent(new Event('event'));
return 'done';
