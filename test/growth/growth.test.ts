/*
 * Every kind of state that clients make by their requests, opened 10,000 times or until the server refuses: its memory
 * is at most twice what the server counts for it, its number has a bound, and the memory comes back. See README.md.
 */
import { describe, expect, it } from 'vitest';
import { MeasuredServer } from './MeasuredServer.js';
import type { Row } from './Row.js';
import { connectionRows } from './rows/connections.js';
import { mqttRows } from './rows/mqtt.js';
import { realtimeRows } from './rows/realtime.js';
import { requestRows } from './rows/requests.js';
import { securityRows } from './rows/security.js';
import { storeRows } from './rows/stores.js';

const COUNT = 10_000;
/** Opened and closed before the first measurement, so that code and tables that stay are not counted. */
const WARM_COUNT = 100;
/** Memory may be twice the counted. */
const FACTOR = 2;
/** Of the heap between two collections, and of code that is compiled meanwhile. */
const NOISE_BYTES = 2 ** 20;
/** Part of the memory that may stay: tables shrink in steps. */
const STAYS = 0.1;
const MAX_TOTAL_BYTES = 2 ** 30;

const ROWS: readonly Row[] = [
  ...connectionRows,
  ...mqttRows,
  ...requestRows,
  ...realtimeRows,
  ...storeRows,
  ...securityRows,
];

describe('memory of state that clients make', () => {
  it.each(ROWS.map((row) => [row.name, row] as const))('%s', { timeout: 300_000 }, (_, row) => run(row));
});

async function run(row: Row): Promise<void> {
  const server = await MeasuredServer.start(row.config ?? {});
  try {
    await row.open(server, WARM_COUNT);
    await row.release?.(server);
    const before = await server.settled();
    const { count, refusal } = await row.open(server, COUNT);
    const bytes = (await server.settled()) - before;
    const { counted } = row;
    const countedBytes = 'bytesEach' in counted ? counted.bytesEach * count : counted.bytesInAll;
    await row.release?.(server);
    const maxLeft = STAYS * Math.max(0, bytes) + NOISE_BYTES;
    let left = row.release === undefined ? undefined : (await server.settled()) - before;
    // A busy server takes seconds to see that 10,000 sockets are closed.
    for (let attempt = 0; left !== undefined && left > maxLeft && attempt < 10; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      left = (await server.settled()) - before;
    }
    print(row.name, { count, refusal, bytes, countedBytes, left });
    expect(count, 'opened').toBeGreaterThan(0);
    if (row.knownGap !== undefined) {
      process.stdout.write(`not held to its bound: ${row.name}: ${row.knownGap}\n`);
      return;
    }
    expect(bytes, 'measured bytes').toBeLessThanOrEqual(FACTOR * countedBytes + NOISE_BYTES);
    if (left !== undefined) {
      expect(left, 'bytes that stay').toBeLessThanOrEqual(maxLeft);
    }
    const maxBytes = 'bytesEach' in counted ? counted.bytesEach * (row.maxCount ?? count) : counted.bytesInAll;
    expect(count, 'opened').toBeLessThanOrEqual(row.maxCount ?? Infinity);
    expect(maxBytes, 'bytes of all that there may be').toBeLessThanOrEqual(MAX_TOTAL_BYTES);
    if ('bytesEach' in counted && row.maxCount === undefined) {
      expect(refusal, 'something bounds the number').toBeDefined();
    }
  } finally {
    await server.close();
  }
}

function print(
  name: string,
  figures: {
    readonly count: number;
    readonly refusal: string | undefined;
    readonly bytes: number;
    readonly countedBytes: number;
    readonly left: number | undefined;
  },
): void {
  const { count, refusal, bytes, countedBytes, left } = figures;
  const each = (total: number) => Math.round(total / Math.max(1, count));
  const mib = (total: number) => (total / 2 ** 20).toFixed(1);
  const end = refusal === undefined ? '' : `, then ${refusal}`;
  const stays = left === undefined ? '' : `; ${mib(left)} MiB stay`;
  process.stdout.write(
    `${name}: ${count}${end}; measured ${each(bytes)} bytes each (${mib(bytes)} MiB), ` +
      `counted ${each(countedBytes)} (${mib(countedBytes)} MiB)${stays}\n`,
  );
}
