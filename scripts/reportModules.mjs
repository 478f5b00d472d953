// Loaded into a server by `--import`: sends its parent the modules that it has loaded once it listens, and stops it.
import { Session } from 'node:inspector';

const session = new Session();
session.connect();
const files = [];
session.on('Debugger.scriptParsed', ({ params: { url, length } }) => {
  // CommonJS modules have a path in some versions of Node.js.
  if (/^(?:file:|\/)/.test(url)) files.push({ path: url.replace(/^file:\/\//, ''), bytes: length });
});
session.post('Debugger.enable');
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 500 });
session.post('Profiler.start');

const write = process.stdout.write;
process.stdout.write = function (text, ...others) {
  if (String(text).includes('listens on')) {
    process.stdout.write = write;
    session.post('Profiler.stop', (_, { profile }) => {
      process.send({ files, msByUrl: timesOf(profile) });
      process.kill(process.pid, 'SIGTERM');
    });
  }
  return write.call(this, text, ...others);
};

/** Time in the functions of each file, compiling excluded. */
function timesOf({ nodes, samples, timeDeltas }) {
  const urls = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.url]));
  const times = {};
  samples.forEach((id, index) => {
    const path = urls.get(id).replace(/^file:\/\//, '');
    times[path] = (times[path] ?? 0) + timeDeltas[index] / 1_000;
  });
  return times;
}
