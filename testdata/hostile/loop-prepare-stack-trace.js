// The engine asks the script to format a stack while it is throwing.
// ends: time limit
Error.prepareStackTrace = () => {
  for (;;) {}
};
null.property;
