import { describe, expect, it } from 'vitest';
import { MemoryExpiringStore } from '../runtime/MemoryExpiringStore.js';
import { systemClock } from '../runtime/systemClock.js';
import { LinkedExpiringStore } from './LinkedExpiringStore.js';
import type { QuestionHandler } from './NodeLink.js';
import { SOLE_NODE } from './SOLE_NODE.js';

/** Stores of some nodes that can ask each other. */
function open(...nodeIds: readonly string[]) {
  const handlers = new Map<string, QuestionHandler>();
  const questions: string[] = [];
  const stores = nodeIds.map((nodeId) => {
    const link = {
      ...SOLE_NODE,
      nodeId,
      isClustered: true,
      answer: (topic: string, handle: QuestionHandler) => void handlers.set(`${nodeId} ${topic}`, handle),
      ask: async (to: string, topic: string, body: string) => {
        questions.push(body);
        const handle = handlers.get(`${to} ${topic}`);
        if (handle === undefined) throw new Error('unreachable');
        return handle(body, nodeId);
      },
    };
    return new LinkedExpiringStore(new MemoryExpiringStore(systemClock, 10), link, 'test');
  });
  return { stores, handlers, questions };
} // prettier-ignore

describe('LinkedExpiringStore', () => {
  it('is read and taken from every node, and taken once', async () => {
    const { stores } = open('a1', 'b2', 'c3');
    const [a, b, c] = stores;
    const key = a?.newKey() ?? '';
    expect(key).toMatch(/^a1-[\w-]{43}$/);
    a?.add(key, { n: 1 }, 1_000);
    expect(await b?.read(key)).toEqual({ n: 1 });
    const taken = await Promise.all([b, c, a, b, c].map(async (store) => store?.take(key)));
    expect(taken.filter((value) => value !== null)).toEqual([{ n: 1 }]);
    expect(await b?.read(key)).toBeNull();
  });

  it('asks nobody about its own keys, and about keys that no node has made', async () => {
    const { stores, questions } = open('a1');
    const [a] = stores;
    for (const key of [a?.newKey() ?? '', 'plain', '', '-x', `a1-${'x'.repeat(9)}`, `${'z'.repeat(2_000)}-x`]) {
      expect(await a?.read(key)).toBeNull();
      expect(await a?.take(key)).toBeNull();
    }
    expect(questions).toEqual([]);
  }); // prettier-ignore

  it('knows nothing of what was kept on a node that is gone, or that never was', async () => {
    const { stores, handlers } = open('a1', 'b2');
    const [a, b] = stores;
    const key = a?.newKey() ?? '';
    a?.add(key, {}, 1_000);
    handlers.delete('a1 test');
    expect(await b?.take(key)).toBeNull();
    expect(await b?.read('nobody-x')).toBeNull();
  });

  it('takes an answer that is no object for none', async () => {
    const { stores, handlers } = open('a1', 'b2');
    for (const answer of ['5', '[]', 'rubbish', '']) {
      handlers.set('b2 test', async () => answer);
      expect(await stores[0]?.read('b2-x')).toBeNull();
    }
  });
});
