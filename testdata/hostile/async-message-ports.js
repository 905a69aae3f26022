// Two ports answer each other, and each message is larger than the one before.
// ends: time limit or memory limit
const { port1, port2 } = new MessageChannel();
for (const port of [port1, port2])
  port.onmessage = ({ data }) => port.postMessage({ data, more: [data.length, data.more] });
port1.postMessage({ length: 1 });
