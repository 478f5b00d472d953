import { describe, expect, it } from 'vitest';
import { inTemporaryFolder, runMillrace } from './runMillrace.js';

const ON_FREE_PORT = ['--http.port', '0', '--log.level', 'error'];
const CALLERS = 8;
const ACKNOWLEDGED = 200;
const AT = '/shop/orders';

/** One keyed creation. @returns the id of the document; undefined if the server is gone */
async function create(url: string, n: number): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}${AT}/_create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `order-0123456789-${n}` },
      body: JSON.stringify({ n }),
    });
    const { result } = (await response.json()) as { readonly result: { readonly _id: string } };
    return result._id;
  } catch {
    return undefined;
  }
}

describe('kept answers of a killed process', () => {
  it('an answered request is not executed again; another runs at most once more (IDEM-13, IDEM-14)', () =>
    inTemporaryFolder(async (folder) => {
      const first = runMillrace(folder, ON_FREE_PORT);
      const url = await first.listening;
      await fetch(`${url}${AT}`, { method: 'PUT' });
      const acknowledged = new Map<number, string>();
      let sent = 0;
      const caller = async () => {
        for (;;) {
          const n = sent++;
          const id = await create(url, n);
          if (id === undefined) return;
          acknowledged.set(n, id);
          if (acknowledged.size === ACKNOWLEDGED) first.signal('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
      expect(await first.endedBy).toBe('SIGKILL');

      const second = runMillrace(folder, ON_FREE_PORT);
      const again = await second.listening;
      for (let n = 0; n < sent; n++) {
        const id = await create(again, n);
        if (acknowledged.has(n)) expect([n, id]).toEqual([n, acknowledged.get(n)]);
      }
      await fetch(`${again}/shop/_refresh`, { method: 'POST' });
      const counted = await fetch(`${again}${AT}/_count`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      const { result } = (await counted.json()) as { readonly result: { readonly count: number } };
      expect(result.count).toBeGreaterThanOrEqual(sent);
      expect(result.count).toBeLessThanOrEqual(sent + CALLERS);
      second.signal('SIGTERM');
      expect(await second.ended).toBe(0);
    }));
});
