// A global expression whose lastIndex always goes back to the beginning finds the same match for ever.
// ends: time limit
class Again extends RegExp {
  exec(text) {
    this.lastIndex = 0;
    return super.exec(text);
  }
}
return 'aaa'.replace(new Again('a', 'g'), 'b');
