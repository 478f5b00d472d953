import { describe, expect, it } from 'vitest';
import { SOLE_NODE, type NodeLink, type QuestionHandler } from '@millrace/kernel';
import { ClientIds, type IdHolder } from './ClientIds.js';

/** Nodes that send each other questions directly. */
function open(count: number) {
  const handlers = new Map<string, QuestionHandler>();
  const names = Array.from({ length: count }, (_, n) => `node${n}`);
  return names.map((nodeId) => {
    const link: NodeLink = {
      ...SOLE_NODE,
      nodeId,
      hasOthers: () => count > 1,
      others: () => names.filter((name) => name !== nodeId),
      answer: (_, handle) => void handlers.set(nodeId, handle),
      ask: async (to, _, body) => {
        const handle = handlers.get(to);
        if (handle === undefined) throw new Error('no answer');
        return handle(body, nodeId);
      },
    };
    const ids = new ClientIds(link);
    ids.start();
    return ids;
  });
}

class Session implements IdHolder {
  readonly clientId = 'thing';
  isGone = false;
  constructor(readonly userId: string | undefined) {}
  close() {
    this.isGone = true;
  }
}

describe.each([1, 2, 3])('a client id on %i nodes (PROTO-64)', (count) => {
  const at = (ids: readonly ClientIds[], n: number) => ids[n % count] as ClientIds;

  it('is taken over by the same user, and by no other', async () => {
    const ids = open(count);
    const [first, other, nobody, second] = ['ann', 'bob', undefined, 'ann'].map((user) => new Session(user)) as [
      Session,
      Session,
      Session,
      Session,
    ];
    expect(await at(ids, 0).claim(first)).toBe(true);
    expect(await at(ids, 1).claim(other)).toBe(false);
    expect(await at(ids, 2).claim(nobody)).toBe(false);
    expect(first.isGone).toBe(false);
    expect(await at(ids, 1).claim(second)).toBe(true);
    expect([first.isGone, second.isGone]).toEqual([true, false]);
    at(ids, 1).release(second);
    expect(await at(ids, 2).claim(other)).toBe(true);
  });

  it('belongs to one of two anonymous clients at most, also when they come at once', async () => {
    const ids = open(count);
    const sessions = Array.from({ length: 6 }, () => new Session(undefined));
    const outcomes = await Promise.all(sessions.map((session, n) => at(ids, n).claim(session)));
    expect(outcomes.filter((has) => has).length).toBeLessThanOrEqual(1);
    const left = sessions.filter((session, n) => outcomes[n] === true && !session.isGone);
    expect(left.length).toBe(outcomes.filter((has) => has).length);
  });
});
