// `node bench/soak.mjs --hours N [--rate WRITES_PER_SECOND] [--server FILE]`: runs a server under a modest load on every
// protocol (HTTP, WebSocket, socket.io, MQTT, server-sent events) and samples its memory and descriptors. Prints a line a
// minute and a summary; ends with 1 after an error, a lost notification, or if the memory at the end is more than 1.1 times
// that after ten minutes (in runs of at least 30 minutes). Everything stays on 127.0.0.1.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { quantile } from './quantile.mjs';
import { ServerProcess } from './ServerProcess.mjs';
import { SoakLoad } from './soak/SoakLoad.mjs';

const { values: options } = parseArgs({
  options: {
    hours: { type: 'string', default: '1.5' },
    rate: { type: 'string', default: '8' },
    server: {
      type: 'string',
      default: fileURLToPath(new URL('../packages/server/bin/millrace.js', import.meta.url)),
    },
  },
});
const MEBIBYTE = 1_048_576;
const MAX_GROWTH = 1.1;
const seconds = Number(options.hours) * 3_600;
if (!(seconds > 0)) throw new Error(`--hours: expected a number above 0, got ${options.hours}`);
const warmUpSeconds = Math.min(600, seconds / 3);
const sampleSeconds = Math.min(10, seconds / 10);
const windowSeconds = Math.min(120, seconds / 5);

const server = new ServerProcess();
await server.start(options.server);
process.once('exit', () => server.kill());
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const load = new SoakLoad(server.ports);
await load.start(Number(options.rate));
const startMs = performance.now();
const samples = [];
let printedAt = -Infinity;
console.log('minute,rssMiB,descriptors,cpuSeconds,requests,connections,errors,lost');
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, sampleSeconds * 1_000));
  const second = (performance.now() - startMs) / 1_000;
  const sample = { second, ...server.sample() };
  samples.push(sample);
  if (second - printedAt >= 60 || second >= seconds) {
    printedAt = second;
    const { rssBytes, descriptors, cpuSeconds } = sample;
    const { requests, connections, errors, deliveries } = load;
    const figures = [second / 60, rssBytes / MEBIBYTE, descriptors, cpuSeconds, requests];
    console.log([...figures, connections, errors, deliveries.lost].map((each) => Math.round(each * 10) / 10).join(','));
  }
  if (second >= seconds) break;
}
await load.stop();
const exitCode = await server.stop();

const around = (second) => {
  const near = samples.filter((each) => Math.abs(each.second - second) <= windowSeconds / 2);
  const median = (key) =>
    quantile(
      near.map((each) => each[key]).sort((a, b) => a - b),
      0.5,
    );
  return {
    rssMiB: Math.round((median('rssBytes') / MEBIBYTE) * 10) / 10,
    descriptors: median('descriptors'),
  };
};
const { errors, problems, requests, connections, deliveries } = load;
const [early, late] = [around(warmUpSeconds), around(seconds - windowSeconds / 2)];
const growth = Math.round((late.rssMiB / early.rssMiB) * 1000) / 1000;
const { received, lost, repeated } = deliveries;
console.log(
  JSON.stringify(
    {
      seconds,
      early: { second: warmUpSeconds, ...early },
      late,
      growth,
      cpuShare: Math.round((samples.at(-1).cpuSeconds / samples.at(-1).second) * 1000) / 1000,
      ...{ requests, connections, received, errors, lost, repeated, problems },
      ...{ serverExitCode: exitCode, serverLog: server.log },
    },
    undefined,
    2,
  ),
);
const isTooLarge = seconds >= 1_800 && growth > MAX_GROWTH;
process.exit(errors > 0 || lost > 0 || exitCode !== 0 || isTooLarge ? 1 : 0);
