import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HOOKS, silentLogger, SOLE_NODE, type EventMap, type Session } from '@millrace/kernel';
import { SECURITY_CONFIG } from '../config.js';
import {
  openTestEngine,
  openTestSecurity,
  type TestEngine,
  type TestSecurity,
} from '../openTestSecurity.test.support.js';
import { Revocations } from './Revocations.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let shared: TestEngine;
let count = 0;
const opened: TestSecurity[] = [];

beforeAll(async () => {
  shared = await openTestEngine();
});
afterAll(() => shared.close());
afterEach(async () => {
  for (const security of opened.splice(0)) await security.close();
});

/** Revocations of one installation with two independent clocks. */
async function installation() {
  const index = `%revocations${++count}`;
  const security = await openTestSecurity({ engine: shared.engine, index });
  opened.push(security);
  const time = { nowMs: 1_700_000_000_000, monotonicMs: 0 };
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.monotonicMs };
  const config = security.container.resolve(SECURITY_CONFIG);
  const start = async () => {
    const place = { engine: shared.engine, index };
    const hooks = security.container.resolve(HOOKS);
    const revocations = new Revocations(place, clock, silentLogger, SOLE_NODE, config, hooks);
    await revocations.start();
    await revocations.stop();
    return revocations;
  };
  const storedCount = async () => {
    const place = { index, collection: 'revocations' };
    return (await shared.engine.read(place, 'token')) === null ? 0 : 1;
  };
  const session = { tokenId: 'token', userId: 'ada', expiresAtMs: time.nowMs + HOUR_MS };
  const emit = (event: EventMap['auth.tokensRevoked']) =>
    security.container.resolve(HOOKS).emit('auth.tokensRevoked', event);
  const storeOld = ({ tokenId, expiresAtMs }: Session) =>
    shared.engine.write(
      [{ index, collection: 'revocations', kind: 'put', id: tokenId, source: { expiresAtMs }, condition: 'absent' }],
      true,
    );
  return { time, start, storedCount, session, emit, storeOld };
} // prettier-ignore

describe('revocations', () => {
  it('outlive a wall clock that is wrong for a while, in memory and in the store', async () => {
    const { time, start, storedCount, session } = await installation();
    const revocations = await start();
    await revocations.add(session);
    time.nowMs += 30 * DAY_MS;
    await revocations.sweep();
    expect((await start()).has(session)).toBe(true);
    time.nowMs -= 30 * DAY_MS;
    expect([revocations.has(session), await storedCount()]).toEqual([true, 1]);
  });

  it('are removed a day after their token has expired, as the monotonic clock has it', async () => {
    const { time, start, storedCount, session } = await installation();
    const revocations = await start();
    await revocations.add(session);
    const pass = (ms: number) => {
      time.nowMs += ms;
      time.monotonicMs += ms;
    };
    pass(HOUR_MS + DAY_MS - 1);
    await revocations.sweep();
    expect([revocations.has(session), await storedCount()]).toEqual([true, 1]);
    pass(1);
    await revocations.sweep();
    expect([revocations.has(session), await storedCount()]).toEqual([false, 0]);
  });

  it('go when all tokens of their user have ended, but the newest and that of the token that goes on', async () => {
    const { start, storedCount, session, emit } = await installation();
    const revocations = await start();
    await revocations.add(session);
    const kept = { ...session, tokenId: 'kept' };
    await revocations.add(kept);
    for (let n = 0; n < 1_000; n++) revocations.remember({ ...session, tokenId: `newer${n}` });
    emit({ userId: 'bob', exceptTokenId: null, reason: 'signed_out_everywhere' });
    expect(revocations.has(session)).toBe(true);
    emit({ userId: 'ada', exceptTokenId: 'kept', reason: 'credentials_changed' });
    expect([revocations.has(session), revocations.has(kept)]).toEqual([false, true]);
    expect(revocations.has({ ...session, tokenId: 'newer0' })).toBe(true);
    await expect.poll(storedCount).toBe(0);
    expect((await start()).has(kept)).toBe(true);
  });

  it('stored by an earlier version, without their user, are found', async () => {
    const { start, session, storeOld } = await installation();
    await start();
    await storeOld(session);
    expect((await start()).has(session)).toBe(true);
  });

  it('revocations older than the longest life of a token are removed at a start', async () => {
    const { time, start, storedCount, session } = await installation();
    await (await start()).add(session);
    time.nowMs += 32 * DAY_MS;
    expect((await start()).has(session)).toBe(false);
    expect(await storedCount()).toBe(0);
  });
});
