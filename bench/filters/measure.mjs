import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const BATCH = 100;

/**
 * Processor time of this process, garbage collection included: all engines here work on one thread, and neighbours on
 * a shared machine do not count.
 */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Registers filters given as JSON. @returns registrations per second and the identifiers */
export function timeRegistration(engine, sources) {
  const filters = sources.map((source) => JSON.parse(source));
  const start = cpuMs();
  const ids = filters.map((filter) => engine.register(filter));
  return { perSecond: per(sources.length, start), ids };
}

export function timeRemoval(engine, ids) {
  const start = cpuMs();
  for (const id of ids) engine.remove(id);
  return per(ids.length, start);
}

/** Documents per second over at least `timeMs`; each is parsed again, so that no string is hashed yet. */
export function timeTests(engine, sources, timeMs) {
  let [tested, spentMs, at] = [0, 0, 0];
  // The clock is read once per chunk: slow engines stop in time, fast ones do not notice.
  let chunk = 1;
  while (spentMs < timeMs) {
    const documents = [];
    for (let i = 0; i < BATCH; i++) documents.push(JSON.parse(sources[at++ % sources.length]));
    for (let i = 0; i < BATCH && spentMs < timeMs;) {
      const end = Math.min(BATCH, i + chunk);
      const start = cpuMs();
      for (; i < end; i++, tested++) engine.test(documents[i]);
      const chunkMs = cpuMs() - start;
      spentMs += chunkMs;
      if (chunkMs < 1) chunk = Math.min(BATCH, 2 * chunk);
    }
  }
  return (1_000 * tested) / spentMs;
}

/** Bytes of heap and buffers per filter. */
export function measureMemory(make, sources, sample) {
  const collectGarbage = garbageCollector();
  collectGarbage();
  const before = usedBytes();
  const engine = make();
  for (const source of sources) engine.register(JSON.parse(source));
  collectGarbage();
  const bytes = (usedBytes() - before) / sources.length;
  // Keeps the engine alive until here.
  engine.test(sample);
  return bytes;
}

/** p50 and p99 in microseconds of tests while filters come and go at a rate. */
export function timeChurn(engine, { documents, more }, { perSecond, timeMs }) {
  const times = [];
  const begin = performance.now();
  const recent = [];
  let changes = 0;
  for (let at = 0; performance.now() - begin < timeMs; at++) {
    const document = JSON.parse(documents[at % documents.length]);
    const start = performance.now();
    engine.test(document);
    times.push(1_000 * (performance.now() - start));
    for (; changes < ((performance.now() - begin) / 1_000) * perSecond; changes++) {
      recent.push(engine.register(more()));
      if (recent.length > 500) engine.remove(recent.shift());
    }
  }
  times.sort((a, b) => a - b);
  for (const id of recent) engine.remove(id);
  return { p50: times[times.length >> 1], p99: times[Math.floor(times.length * 0.99)] };
}

function per(count, start) {
  return (1_000 * count) / (cpuMs() - start);
}

function usedBytes() {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function garbageCollector() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  return () => {
    collect();
    collect();
  };
}
