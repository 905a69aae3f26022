// Classes are made whose prototypes, names and fields belong to them alone.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const classes = [];
for (;;) {
  classes.push(class {
    #secret = 1;
    static open = 2;
    get secret() {
      return this.#secret;
    }
  });
}
