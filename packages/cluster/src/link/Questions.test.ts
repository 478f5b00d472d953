import { setImmediate } from 'node:timers/promises';
import { isError, clusterErrors } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { ASK, Questions } from './Questions.js';

/** Nodes that take each other's messages in one order; `malformed` counts the keys that a node can't read. */
function openNodes(...ids: readonly string[]) {
  const nodes = new Map<string, Questions>();
  let malformed = 0;
  let isUp = true;
  for (const from of ids) {
    const send = (topic: string, key: string, body: string) => {
      if (!isUp) return;
      for (const node of nodes.values()) {
        const isRead = topic === ASK ? node.takeQuestion(key, body, from) : node.takeAnswer(key, body, from);
        if (!isRead) malformed++;
      }
    };
    nodes.set(from, new Questions(from, send));
  }
  const node = (id: string) => nodes.get(id) as Questions;
  return { node, malformed: () => malformed, cut: () => (isUp = false) };
}

const refused = (error: unknown) => isError(error, clusterErrors.refused);
const unreachable = (error: unknown) => isError(error, clusterErrors.unreachable);

describe('a question to another node', () => {
  it('is answered by that node alone, with the sender as an argument', async () => {
    const { node, malformed } = openNodes('a', 'b', 'c');
    node('b').answer('size', (body, from) => Promise.resolve(`b got ${body} of ${from}`));
    node('c').answer('size', () => Promise.resolve('c'));
    expect(await node('a').ask('b', 'size', 'one')).toBe('b got one of a');
    expect(await node('a').ask('c', 'size', 'one')).toBe('c');
    expect(malformed()).toBe(0);
  });

  it('is refused with the message of the error, without a handler, and with too long an answer', async () => {
    const { node } = openNodes('a', 'b');
    node('b').answer('fails', () => Promise.reject(new Error('the disk is full')));
    node('b').answer('long', () => Promise.resolve('x'.repeat(8 * 2 ** 20 + 1)));
    for (const [topic, reason] of [
      ['fails', /the disk is full/],
      ['nothing', /no handler/],
      ['long', /too large/],
    ] as const) {
      const error: unknown = await node('a')
        .ask('b', topic, '')
        .catch((thrown: unknown) => thrown);
      expect(refused(error)).toBe(true);
      expect((error as Error).message).toMatch(reason);
    }
  });

  it('fails once the node is gone, and those to others stay open', async () => {
    const { node } = openNodes('a', 'b', 'c');
    let answer = (_: string) => {};
    node('b').answer('slow', () => new Promise(() => undefined));
    node('c').answer('slow', () => new Promise((resolve) => (answer = resolve)));
    const [toB, toC] = [node('a').ask('b', 'slow', ''), node('a').ask('c', 'slow', '')];
    node('a').forget('b');
    expect(unreachable(await toB.catch((error: unknown) => error))).toBe(true);
    answer('late');
    expect(await toC).toBe('late');
  });

  it('fails when this node closes', async () => {
    const { node, cut } = openNodes('a', 'b');
    cut();
    const asked = node('a').ask('b', 'size', '');
    node('a').close();
    expect(unreachable(await asked.catch((error: unknown) => error))).toBe(true);
  });

  it('takes no answer of a node that was not asked, and no second one', async () => {
    const { node, cut } = openNodes('a', 'b');
    cut();
    const asked = node('a').ask('b', 'size', '');
    let result: string | undefined;
    void asked.then((body) => (result = body));
    expect(node('a').takeAnswer('a 1 ok', 'forged', 'c')).toBe(true);
    expect(node('a').takeAnswer('b 1 ok', 'of another node', 'b')).toBe(true);
    await setImmediate();
    expect(result).toBeUndefined();
    node('a').takeAnswer('a 1 ok', 'first', 'b');
    node('a').takeAnswer('a 1 ok', 'second', 'b');
    expect(await asked).toBe('first');
  });

  it('has a key of three words, like its answer', () => {
    const { node } = openNodes('a');
    for (const key of ['', 'a', 'a 1']) {
      expect(node('a').takeQuestion(key, '', 'b'), key).toBe(false);
      expect(node('a').takeAnswer(key, '', 'b'), key).toBe(false);
    }
  });
});
