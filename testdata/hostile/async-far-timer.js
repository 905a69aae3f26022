// A timer is due in twelve days.
// ends: time limit
await new Promise((resolve) => setTimeout(resolve, 1e9));
