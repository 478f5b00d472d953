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
    if ('isLoss' in each) passed.push(`lost ${each.collection}`);
    else passed.push('isWipe' in each ? `wiped ${each.cursor}` : each.id);
    reached.push(upTo);
  }, maxHeldCharacters);
  /** Starts a write of `count` operations. @returns ends it with changes at these positions */
  const begin = (count: number) => {
    let resolve!: (cursors: readonly string[]) => void;
    const written = new Promise<readonly string[]>((done) => (resolve = done));
    const ended = order.run(Array<CollectionName>(count).fill(THINGS), () => written, (cursors) => {
      for (const cursor of cursors) order.add(change(cursor));
    }); // prettier-ignore
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
    const ended = order.runBatch([THINGS], () => removal, (cursor) => {
      order.add({ isWipe: true, ...THINGS, cursor });
    }); // prettier-ignore
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
    const failing = order.run([THINGS, THINGS], () => new Promise((_, no) => (reject = no)), () => undefined); // prettier-ignore
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

  it('drops the changes of the collection that holds most once they take too much memory, and passes the loss on', async () => {
    const size = JSON.stringify(change('e.10')).length;
    const { passed, order, begin } = open(3 * size);
    const batch = begin(2);
    await begin(1)('e.12');
    expect(passed).toEqual([]);
    let both!: () => void;
    const other = order.runBatch([OTHERS], () => new Promise<void>((resolve) => (both = resolve)), () => undefined); // prettier-ignore
    order.add(change('e.13', OTHERS));
    await begin(1)('e.14');
    expect(passed).toEqual([]);
    await begin(1)('e.15');
    expect(passed).toEqual(['lost things']);
    await begin(1)('e.16');
    await batch('e.10', 'e.11');
    expect(passed).toEqual(['lost things', 'e.10', 'e.11', 'e.16']);
    both();
    await other;
    expect(passed.at(-1)).toBe('e.13');
  });

  it('does not count the changes of a batch that are passed on as soon as it ends', async () => {
    const { passed, begin } = open(1);
    const batch = begin(3);
    await batch('e.1', 'e.2', 'e.3');
    expect(passed).toEqual(['e.1', 'e.2', 'e.3']);
  });

  it('counts the changes of a batch that wait for another one', async () => {
    const size = JSON.stringify(change('e.3')).length;
    const { passed, begin } = open(size);
    const [first, second] = [begin(2), begin(2)];
    await first('e.2', 'e.3');
    expect(passed).toEqual(['lost things']);
    await second('e.1', 'e.4');
    expect(passed).toEqual(['lost things', 'e.1', 'e.4']);
  });
});
