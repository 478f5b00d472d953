/**
 * Answers the message `cpu` with the seconds of processor time that this process has used, `rss` with its resident bytes,
 * and `memory` with these, and those of the heap, after a collection and the longest wait of its event loop since the last such message.
 */
export function reportFootprint() {
  let [lastMs, longestMs] = [performance.now(), 0];
  setInterval(() => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs - 10);
    lastMs = nowMs;
  }, 10).unref();
  process.on('message', (message) => {
    if (message === 'cpu') {
      const { user, system } = process.cpuUsage();
      process.send({ cpuSeconds: (user + system) / 1e6 });
    }
    if (message === 'rss') process.send({ rssBytes: process.memoryUsage.rss() });
    if (message === 'memory') {
      const lagMs = longestMs;
      globalThis.gc?.();
      globalThis.gc?.();
      const { rss: rssBytes, heapUsed: heapBytes } = process.memoryUsage();
      process.send({ rssBytes, heapBytes, lagMs });
      [lastMs, longestMs] = [performance.now(), 0];
    }
  });
}
