// Functions of the host cannot be cloned, nor can what has one inside.
// ends: returns DataCloneError,DataCloneError
const names = [echo, { a: [later] }].map((value) => {
  try {
    structuredClone(value);
  } catch (error) {
    return error.name;
  }
});
return names.join();
