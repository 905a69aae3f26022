// The status of an exit is an object whose conversion throws, and the run goes on.
// ends: returns went on
try {
  process.exit({
    valueOf() {
      throw new Error('mine');
    },
  });
} catch {}
try {
  process.exit(Symbol('x'));
} catch {}
return 'went on';
