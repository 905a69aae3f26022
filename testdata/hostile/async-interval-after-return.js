// The script returns, but its interval goes on: a run ends when its time is up, with what has been returned.
// ends: returns done or time limit
setInterval(() => {}, 0);
return 'done';
