// Values that are separated by commas, semicolons or tabs.

// csv returns rows of a text, at most so many.
export function csv(text, most) {
  const first = text.slice(0, 4000).split("\n", 1)[0];
  const separator = [",", ";", "\t"].sort((a, b) => first.split(b).length - first.split(a).length)[0];
  const rows = [];
  let row = [], value = "", quoted = false, more = false;
  const cell = () => {
    row.push(value);
    value = "";
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') value += c;
      else if (text[i + 1] === '"') value += text[++i];
      else quoted = false;
    } else if (c === '"' && value === "") {
      quoted = true;
    } else if (c === separator) {
      cell();
    } else if (c === "\n") {
      if (value.endsWith("\r")) value = value.slice(0, -1);
      cell();
      rows.push(row);
      row = [];
      if (rows.length >= most) {
        more = i + 1 < text.length;
        break;
      }
    } else {
      value += c;
    }
  }
  if (value !== "" || row.length > 0) {
    cell();
    rows.push(row);
  }
  return {rows, more};
}
