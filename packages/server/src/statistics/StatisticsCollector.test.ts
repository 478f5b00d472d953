import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRequest, Hooks, silentLogger, systemClock, type Request } from '@millrace/kernel';
import { StatisticsCollector, type FrameKeeper } from './StatisticsCollector.js';
import type { StatisticsFrame } from './StatisticsFrame.js';

const START = Date.UTC(2024, 0, 1);

/** Keeps frames in memory: the real store has separate tests. */
function keepInMemory(): FrameKeeper {
  const frames: StatisticsFrame[] = [];
  return {
    keep: (frame) => void frames.push(frame),
    whenIdle: async () => undefined,
    between: async (fromMs, toMs) =>
      frames.filter(({ timestamp }) => Number(timestamp) >= fromMs && Number(timestamp) <= toMs),
  };
}

function requestOf(protocol: string): Request {
  return createRequest({}, { id: '1', protocol, remoteAddress: '127.0.0.1' });
}

function answer(hooks: Hooks, request: Request, status: number): void {
  const message = { requestId: 'x', status } as never;
  hooks.emit('request.ended', { request, response: { message } });
}

describe('StatisticsCollector (DOC-60)', () => {
  let hooks: Hooks;
  let collector: StatisticsCollector;

  beforeEach(async () => {
    vi.useFakeTimers({ now: START });
    hooks = new Hooks(silentLogger, 1000);
    collector = new StatisticsCollector(systemClock, 10_000, keepInMemory());
    collector.observe(hooks);
    await collector.start();
  });

  afterEach(async () => {
    await collector.stop();
    vi.useRealTimers();
  });

  it('gives the frame in progress, with its start, until the first one is complete', async () => {
    const request = requestOf('http');
    hooks.emit('request.started', { request });
    answer(hooks, request, 200);
    vi.advanceTimersByTime(9_999);
    expect(await collector.last()).toEqual({
      completedRequests: { http: 1 },
      failedRequests: { http: 0 },
      ongoingRequests: { http: 0 },
      connections: { http: 0 },
      slowConsumers: { http: 0 },
      timestamp: String(START),
    });
    expect(await collector.between()).toHaveLength(1);
  });

  it('counts a protocol that answers over HTTP as HTTP', async () => {
    collector.countAsHttp('sse');
    const request = requestOf('sse');
    hooks.emit('request.started', { request });
    answer(hooks, request, 200);
    expect((await collector.last()).completedRequests).toEqual({ http: 1 });
  });

  it('ends a frame every interval and counts since the last one, per protocol', async () => {
    const [http, ws] = [requestOf('http'), requestOf('websocket')];
    hooks.emit('connection.opened', { connection: ws.connection });
    for (const request of [http, http, ws]) hooks.emit('request.started', { request });
    answer(hooks, http, 200);
    answer(hooks, http, 404);
    vi.advanceTimersByTime(10_000);
    answer(hooks, ws, 206);
    hooks.emit('connection.closed', { connection: ws.connection, cause: 'slow' });
    vi.advanceTimersByTime(10_000);
    expect((await collector.between()).map(({ timestamp }) => Number(timestamp) - START)).toEqual([10_000, 20_000]);
    const [first, second] = await collector.between();
    expect(first).toMatchObject({
      completedRequests: { http: 1, websocket: 0 },
      failedRequests: { http: 1, websocket: 0 },
      ongoingRequests: { http: 0, websocket: 1 },
      connections: { http: 0, websocket: 1 },
      slowConsumers: { http: 0, websocket: 0 },
    });
    expect(second).toMatchObject({
      completedRequests: { http: 0, websocket: 1 },
      failedRequests: { http: 0, websocket: 0 },
      ongoingRequests: { websocket: 0 },
      connections: { websocket: 0 },
      slowConsumers: { websocket: 1 },
    });
    expect(await collector.last()).toEqual(second);
  });

  it('takes bounds inclusively', async () => {
    vi.advanceTimersByTime(50_000);
    const at = START + 20_000;
    expect((await collector.between(at, at)).map(({ timestamp }) => timestamp)).toEqual([String(at)]);
    expect(await collector.between(at + 1, at + 9_999)).toEqual([]);
    expect(await collector.between(at)).toHaveLength(4);
    expect(await collector.between(undefined, at)).toHaveLength(2);
  });
});
