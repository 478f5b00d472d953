import { describe, expect, it } from 'vitest';
import { SealedTickets } from '../runtime/SealedTickets.js';
import { systemClock } from '../runtime/systemClock.js';
import { LinkedTickets } from './LinkedTickets.js';
import type { QuestionHandler } from './NodeLink.js';
import { SOLE_NODE } from './SOLE_NODE.js';

/** Tickets of several nodes that can query each other. */
function open(...nodeIds: readonly string[]) {
  const handlers = new Map<string, QuestionHandler>();
  const questions: string[] = [];
  const nodes = nodeIds.map((nodeId) => {
    const link = {
      ...SOLE_NODE,
      nodeId,
      isClustered: true,
      others: () => nodeIds.filter((each) => each !== nodeId),
      answer: (topic: string, handle: QuestionHandler) => void handlers.set(`${nodeId} ${topic}`, handle),
      ask: async (to: string, topic: string, body: string) => {
        questions.push(body);
        const handle = handlers.get(`${to} ${topic}`);
        if (handle === undefined) throw new Error('unreachable');
        return handle(body, nodeId);
      },
    };
    return new LinkedTickets(new SealedTickets(systemClock), link, 'test');
  });
  return { nodes, handlers, questions };
} // prettier-ignore

describe('LinkedTickets', () => {
  it('is read and redeemed on every node, and redeemed once', async () => {
    const { nodes } = open('a1', 'b2', 'c3');
    const [a, b, c] = nodes;
    const ticket = a?.issue({ n: 1 }, 1_000) ?? '';
    expect(ticket).toMatch(/^a1-[\w-]{50,}$/);
    expect(await b?.read(ticket)).toEqual({ n: 1 });
    const redeemed = await Promise.all([b, c, a, b, c].map(async (node) => node?.redeem(ticket)));
    expect(redeemed.filter((value) => value !== null)).toEqual([{ n: 1 }]);
    expect(await b?.read(ticket)).toBeNull();
  });

  it('asks no node about its own tickets, and about tickets that no living node has issued', async () => {
    const { nodes, questions } = open('a1', 'b2');
    const [a] = nodes;
    for (const ticket of [
      a?.issue({}, 0) ?? '',
      'plain',
      '',
      '-x',
      `a1-${'x'.repeat(9)}`,
      'c3-x',
      `b2-${'x'.repeat(40_000)}`,
    ]) {
      expect(await a?.read(ticket)).toBeNull();
      expect(await a?.redeem(ticket)).toBeNull();
    }
    expect(questions).toEqual([]);
  });

  it('opens no ticket of a node that has stopped', async () => {
    const { nodes, handlers } = open('a1', 'b2');
    const [a, b] = nodes;
    const ticket = a?.issue({}, 1_000) ?? '';
    handlers.delete('a1 test');
    expect(await b?.redeem(ticket)).toBeNull();
  });

  it('reads an answer that is no object as none', async () => {
    const { nodes, handlers } = open('a1', 'b2');
    for (const answer of ['5', '[]', 'rubbish', '']) {
      handlers.set('b2 test', async () => answer);
      expect(await nodes[0]?.read('b2-x')).toBeNull();
    }
  });
});
