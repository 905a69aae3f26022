// Pyodide: another interpreter for each call. Its packages, such as numpy, are not on npm.
import { loadPyodide, version as pyodide } from 'pyodide';

async function open() {
  const lines = [];
  const python = await loadPyodide({ stdout: (line) => lines.push(line) });
  return { python, lines };
}

export const version = `${pyodide}, Node ${process.version}`;

export default {
  version,
  async call(code) {
    const { python, lines } = await open();
    python.runPython(code);
    return lines.join('\n');
  },
  async hold() {
    const { python } = await open();
    return () => python.runPython('1'); // it cannot be ended; this keeps it from being collected
  },
  async program(sources, expression) {
    const { python } = await open();
    await python.loadPackage('sqlite3').catch(() => {});
    for (const source of sources) python.runPython(source);
    return () => python.runPython(`str(${expression})`);
  },
};
