import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock, type Connection, type Session } from '@millrace/kernel';
import { SessionWatch } from './SessionWatch.js';

const connection: Connection = { id: 'c', protocol: 'websocket', remoteAddress: '192.0.2.1' };
const LIFE_MS = 30 * 86_400_000;

function open() {
  const used: { readonly session: Session }[] = [];
  const rooms = { of: () => used };
  const watch = new SessionWatch(systemClock, rooms as never);
  const token = (n: number, lifeMs = LIFE_MS): Session => ({
    tokenId: `t${n}`,
    userId: 'ada',
    expiresAtMs: Date.now() + lifeMs,
  });
  return { watch, used, token };
}

describe('SessionWatch', () => {
  afterEach(() => void vi.useRealTimers());

  it('reports a token that has expired to all its connections (PROTO-87)', () => {
    vi.useFakeTimers();
    const { watch, token } = open();
    const ended: string[] = [];
    watch.notify(({ tokenId }, connections) => ended.push(`${tokenId} ${connections.length}`));
    watch.watch(token(1, 1_000), connection);
    watch.watch(token(1, 1_000), { ...connection, id: 'd' });
    watch.watch(token(2, 500), connection);
    vi.advanceTimersByTime(999);
    expect(ended).toEqual(['t2 1']);
    vi.advanceTimersByTime(10);
    expect(ended).toEqual(['t2 1', 't1 2']);
  });

  it('keeps little of a client that refreshes its token without end', () => {
    const { watch, token } = open();
    for (let n = 0; n < 20_000; n++) {
      watch.watch(token(n), connection);
      watch.forgetToken(`t${n - 1}`);
    }
    expect(watch.tokenCount).toBe(1);
    expect(watch.entryCount).toBeLessThan(2_000);
  });

  it('keeps little of clients that have gone', () => {
    const { watch, used, token } = open();
    for (let n = 0; n < 5_000; n++) {
      used.push({ session: token(n) });
      watch.watch(token(n), connection);
    }
    expect(watch.entryCount).toBe(5_000);
    watch.forget(connection);
    expect(watch.tokenCount).toBe(0);
    expect(watch.entryCount).toBeLessThan(1_024);
  });

  it('keeps no connection for a revoked token until it expires', async () => {
    const { watch, token } = open();
    const use = () => {
      const used = { ...connection };
      watch.watch(token(1), used);
      return new WeakRef(used);
    };
    const used = use();
    watch.forgetToken('t1');
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    // A WeakRef keeps its target until the end of the turn.
    await setImmediate();
    collectGarbage();
    expect(watch.entryCount).toBe(1);
    expect(used.deref()).toBeUndefined();
  });

  it('keeps little of a client that logs in without end, and all tokens that its subscriptions rest on', () => {
    vi.useFakeTimers();
    const { watch, used, token } = open();
    const first = token(0, 1_000);
    used.push({ session: first });
    watch.watch(first, connection);
    for (let n = 1; n < 20_000; n++) watch.watch(token(n), connection);
    expect(watch.tokenCount).toBeLessThan(100);
    expect(watch.entryCount).toBeLessThan(2_000);
    const ended: string[] = [];
    watch.notify(({ tokenId }) => ended.push(tokenId));
    vi.advanceTimersByTime(1_010);
    expect(ended).toEqual(['t0']);
    expect(watch.connectionsOf('t19999')).toEqual([connection]);
  });

  it('forgets a connection that has closed', () => {
    const { watch, token } = open();
    for (let n = 0; n < 20; n++) watch.watch(token(n), connection);
    watch.forget(connection);
    expect(watch.tokenCount).toBe(0);
  });
});
