import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger, SOLE_NODE } from '@millrace/kernel';
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
    const revocations = new Revocations({ engine: shared.engine, index }, clock, silentLogger, SOLE_NODE, config);
    await revocations.start();
    await revocations.stop();
    return revocations;
  };
  const storedCount = async () => {
    const place = { index, collection: 'revocations' };
    return (await shared.engine.read(place, 'token')) === null ? 0 : 1;
  };
  const session = { tokenId: 'token', userId: 'ada', expiresAtMs: time.nowMs + HOUR_MS };
  return { time, start, storedCount, session };
} // prettier-ignore

describe('revocations', () => {
  it('outlive a wall clock that is wrong for a while, in memory and in the store', async () => {
    const { time, start, storedCount, session } = await installation();
    const revocations = await start();
    await revocations.add(session);
    time.nowMs += 30 * DAY_MS;
    await revocations.sweep();
    expect((await start()).has('token')).toBe(true);
    time.nowMs -= 30 * DAY_MS;
    expect([revocations.has('token'), await storedCount()]).toEqual([true, 1]);
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
    expect([revocations.has('token'), await storedCount()]).toEqual([true, 1]);
    pass(1);
    await revocations.sweep();
    expect([revocations.has('token'), await storedCount()]).toEqual([false, 0]);
  });

  it('that expired longer ago than a token can live are removed at a start', async () => {
    const { time, start, storedCount, session } = await installation();
    await (await start()).add(session);
    time.nowMs += 32 * DAY_MS;
    expect((await start()).has('token')).toBe(false);
    expect(await storedCount()).toBe(0);
  });
});
