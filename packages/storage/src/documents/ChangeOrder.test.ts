import { describe, expect, it } from 'vitest';
import { NO_DOCUMENT_METADATA, type CollectionName } from '@millrace/kernel';
import { ChangeOrder, type UnnumberedChange } from './ChangeOrder.js';

const THINGS = { index: 'shop', collection: 'things' };
const OTHERS = { index: 'shop', collection: 'others' };

const change = (cursor: string | undefined, name = THINGS): UnnumberedChange => ({
  ...name,
  id: cursor ?? 'none',
  before: null,
  after: {},
  metaBefore: null,
  metaAfter: NO_DOCUMENT_METADATA,
  version: 1,
  origin: { requestId: 'r', metadata: {} },
  ...(cursor !== undefined && { cursor }),
});

function open(maxHeldCharacters?: number) {
  const passed: string[] = [];
  const reached: (string | undefined)[] = [];
  const order = new ChangeOrder((each, upTo) => {
    passed.push('isWipe' in each ? `wiped ${each.cursor}` : each.id);
    reached.push(upTo);
  }, maxHeldCharacters);
  /** Starts a write of `count` operations. @returns ends it with changes at these positions */
  const begin = (count: number) => {
    let resolve!: (cursors: readonly string[]) => void;
    const written = new Promise<readonly string[]>((done) => (resolve = done));
    const ended = order.run(
      Array<CollectionName>(count).fill(THINGS),
      () => written,
      (cursors) => {
        for (const cursor of cursors) order.add(change(cursor));
      },
    );
    return async (...cursors: string[]) => {
      resolve(cursors);
      await ended;
    };
  };
  return { passed, reached, order, begin };
}

describe('the order of changes (LOG-6)', () => {
  it('passes single writes on at once', async () => {
    const { passed, begin } = open();
    await begin(1)('e.1');
    await begin(1)('e.2');
    expect(passed).toEqual(['e.1', 'e.2']);
  });

  it('holds the changes that were written between those of a batch until it ends', async () => {
    const { passed, begin } = open();
    await begin(1)('e.1');
    const batch = begin(3);
    await begin(1)('e.4');
    await begin(1)('e.6');
    expect(passed).toEqual(['e.1']);
    await batch('e.2', 'e.3', 'e.5');
    expect(passed).toEqual(['e.1', 'e.2', 'e.3', 'e.4', 'e.5', 'e.6']);
  });

  it('holds the changes after the removal of all documents until it is known', async () => {
    const { passed, order, begin } = open();
    await begin(1)('e.1');
    let removed!: (cursor: string) => void;
    const removal = new Promise<string>((resolve) => (removed = resolve));
    const ended = order.runBatch(
      [THINGS],
      () => removal,
      (cursor) => {
        order.add({ isWipe: true, ...THINGS, cursor });
      },
    );
    await begin(1)('e.2');
    await begin(1)('e.4');
    expect(passed).toEqual(['e.1']);
    removed('e.3');
    await ended;
    expect(passed).toEqual(['e.1', 'e.2', 'wiped e.3', 'e.4']);
  });

  it('passes on what was written before the start of all running batches', async () => {
    const { passed, begin } = open();
    const first = begin(2);
    await begin(1)('e.2');
    const second = begin(2);
    await first('e.1', 'e.3');
    expect(passed).toEqual(['e.1', 'e.2']);
    await second('e.4', 'e.5');
    expect(passed).toEqual(['e.1', 'e.2', 'e.3', 'e.4', 'e.5']);
  });

  it('holds no changes of other collections, and says up to where all are passed on', async () => {
    const { passed, reached, order, begin } = open();
    await begin(1)('e.1');
    const batch = begin(2);
    order.add(change('e.3', OTHERS));
    await begin(1)('e.4');
    expect(passed).toEqual(['e.1', 'e.3']);
    expect(reached).toEqual(['e.1', 'e.1']);
    await batch('e.2', 'e.5');
    expect(passed).toEqual(['e.1', 'e.3', 'e.2', 'e.4', 'e.5']);
    expect(reached.slice(2)).toEqual([undefined, undefined, 'e.5']);
  });

  it('passes on what it held if the batch fails', async () => {
    const { passed, order, begin } = open();
    let reject!: (error: Error) => void;
    const failing = order.run(
      [THINGS, THINGS],
      () => new Promise((_, no) => (reject = no)),
      () => undefined,
    );
    await begin(1)('e.1');
    expect(passed).toEqual([]);
    reject(new Error('down'));
    await expect(failing).rejects.toThrow('down');
    expect(passed).toEqual(['e.1']);
  });

  it('passes changes without a position on at once', async () => {
    const { passed, order, begin } = open();
    const batch = begin(2);
    order.add(change(undefined));
    expect(passed).toEqual(['none']);
    await batch();
  });

  it('lets further writes of the collection wait once the changes that wait take too much memory', async () => {
    const size = JSON.stringify(change('e.12')).length;
    const { passed, order, begin } = open(2 * size);
    const batch = begin(2);
    for (const cursor of ['e.12', 'e.13', 'e.14']) await begin(1)(cursor);
    const begun: string[] = [];
    const write = (name: string, names: readonly CollectionName[]) =>
      order.run(
        names,
        () => Promise.resolve(begun.push(name)),
        () => undefined,
      );
    const waiting = [write('one', [THINGS]), write('several', [OTHERS, THINGS])];
    await write('other', [OTHERS]);
    expect(begun).toEqual(['other']);
    await batch('e.10', 'e.11');
    await Promise.all(waiting);
    expect(begun).toEqual(['other', 'one', 'several']);
    expect(passed).toEqual(['e.10', 'e.11', 'e.12', 'e.13', 'e.14']);
  });

  it('counts the changes of a batch only if they wait for another one', async () => {
    const { passed, order, begin } = open(1);
    const begun: string[] = [];
    const write = (name: string) =>
      order.run(
        [THINGS],
        () => Promise.resolve(begun.push(name)),
        () => undefined,
      );
    await begin(3)('e.1', 'e.2', 'e.3');
    await write('first');
    expect(begun).toEqual(['first']);
    const [left, right] = [begin(2), begin(2)];
    await left('e.5', 'e.6');
    const waiting = write('second');
    await Promise.resolve();
    expect(begun).toEqual(['first']);
    await right('e.4', 'e.7');
    await waiting;
    expect(begun).toEqual(['first', 'second']);
    expect(passed).toEqual(['e.1', 'e.2', 'e.3', 'e.4', 'e.5', 'e.6', 'e.7']);
  });
});
