// The error that is thrown has a message that is computed for ever when the host asks for it.
// ends: time limit
throw {
  get message() {
    for (;;) {}
  },
};
