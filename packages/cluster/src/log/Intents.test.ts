import { describe, expect, it } from 'vitest';
import { Intents } from './Intents.js';

const MINUTE_MS = 60_000;

/** Adds an intent per entry, `collection/id` or `collection`, and says whose turn it is. */
function open(...documents: readonly string[]) {
  const intents = new Intents();
  const done = new Set<string>();
  documents.forEach((document, n) => {
    const [collection = '', id] = document.split('/');
    const ref = `a:${n}`;
    const pair = id === undefined ? ([collection] as const) : ([collection, id] as const);
    intents.add({ ref, nodeId: 'a', documents: [pair] });
    const turn = intents.turn(ref, MINUTE_MS);
    void Promise.resolve(turn).then(() => done.add(ref));
  });
  const turns = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return documents.flatMap((document, n) => (done.has(`a:${n}`) ? [document] : []));
  };
  return { intents, turns };
}

describe('Intents', () => {
  it('take turns per document', async () => {
    const { intents, turns } = open('x/1', 'x/2', 'x/1');
    expect(await turns()).toEqual(['x/1', 'x/2']);
    intents.close('a:0');
    expect(await turns()).toEqual(['x/1', 'x/2', 'x/1']);
  });

  it('let a removal wait for earlier writes to its collection, and later ones for it', async () => {
    const { intents, turns } = open('x/1', 'x/2', 'y/1', 'x', 'x/3', 'y/2');
    expect(await turns()).toEqual(['x/1', 'x/2', 'y/1', 'y/2']);
    intents.close('a:0');
    expect(await turns()).not.toContain('x');
    intents.close('a:1');
    expect(await turns()).toContain('x');
    expect(await turns()).not.toContain('x/3');
    intents.close('a:3');
    expect(await turns()).toContain('x/3');
  });

  it('take too long, or are closed by another node', async () => {
    const { intents } = open('x/1', 'x/1', 'x/1');
    expect(await intents.turn('a:1', 1)).toBe('late');
    const turn = intents.turn('a:2', MINUTE_MS);
    intents.close('a:2');
    expect(await turn).toBe('closed');
    expect(await intents.turn('a:2', MINUTE_MS)).toBe('closed');
  });

  it('wait for no more when a node is gone', async () => {
    const { intents, turns } = open('x', 'x/1', 'x/1');
    expect(await turns()).toEqual(['x']);
    intents.closeAll('a');
    expect(await turns()).toEqual(['x', 'x/1', 'x/1']);
  });
});
