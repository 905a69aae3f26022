// Each message to a channel is sent again by each that hears it.
// ends: time limit or memory limit
const channels = Array.from({ length: 10 }, () => new BroadcastChannel('x'));
for (const channel of channels) channel.onmessage = ({ data }) => channel.postMessage(data + 1);
channels[0].postMessage(0);
