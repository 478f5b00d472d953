import {
  documentErrors,
  NO_DOCUMENT_METADATA,
  type StorageEngine,
  type StoredDocument,
  type WriteCondition,
  type WriteOperation,
  type WriteOutcome,
} from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { lostRace, toChange, WritePlan } from './WritePlan.js';

const THINGS = { index: 'shop', collection: 'things' };
const meta = NO_DOCUMENT_METADATA;
const BEFORE = { version: 3, source: { n: 3 }, meta };
const ABOUT = { atMs: 1, origin: null, isSilent: false };

const put = (condition: WriteCondition, id = 'x'): WriteOperation => ({
  ...THINGS,
  kind: 'put',
  id,
  source: { n: 4 },
  condition,
});
const remove = (condition: 'present' | number): WriteOperation => ({ ...THINGS, kind: 'delete', id: 'x', condition });

/** A plan over a storage with the document `x` in version 3, and the ids that it reads. */
function open(isRecorded = true) {
  const read: string[] = [];
  const readMany: StorageEngine['readMany'] = async (_name, ids) => {
    read.push(...ids);
    return ids.map((id): StoredDocument | null => (id === 'x' ? { id, ...BEFORE } : null));
  };
  const plan = new WritePlan({ readMany } as StorageEngine, () => isRecorded);
  const prepare = async (operation: WriteOperation) => {
    const [attempt] = await plan.prepare([operation], [0]);
    if (attempt === undefined) throw new Error('no attempt');
    return attempt;
  };
  return { plan, prepare, read };
}

describe('the plan of a recorded write (LOG-11)', () => {
  it.each<[string, WriteOperation, WriteOperation['condition']]>([
    ['a put on any version', put('any'), 3],
    ['a put on a present document', put('present'), 3],
    ['a put on a version', put(3), 3],
    ['a put on another version', put(2), 2],
    ['a creation', put('absent'), 'absent'],
    ['a deletion', remove('present'), 3],
    ['a put of an absent document', put('any', 'new'), 'absent'],
    ['an update of an absent document', put('present', 'new'), 0],
  ])('makes %s on the condition that the document is as it was read', async (_, operation, condition) => {
    const { prepare } = open();
    expect(await prepare(operation)).toMatchObject({ planned: operation, conditional: { ...operation, condition } });
  });

  it('leaves writes to collections that are not recorded as they are, unread', async () => {
    const { prepare, read } = open(false);
    const { conditional, before } = await prepare(put('any'));
    expect([conditional, before, read]).toEqual([put('any'), null, []]);
  });

  it('reads no document that the caller has read in the version of the condition, or that must be absent', async () => {
    const { prepare, read } = open();
    const known = { id: 'x', ...BEFORE, version: 7 };
    const attempt = await prepare({ ...put(7), known });
    expect(attempt.before).toEqual({ ...BEFORE, version: 7 });
    expect(attempt.planned).not.toHaveProperty('known');
    await prepare(put('absent'));
    expect(read).toEqual([]);
    await prepare({ ...put('any'), known });
    expect(read).toEqual(['x']);
  });

  it('plans only the given positions', async () => {
    const { plan, read } = open();
    const attempts = await plan.prepare([put('any'), put('any', 'y'), put('any', 'z')], [0, 2]);
    expect(attempts.map(({ position }) => position)).toEqual([0, 2]);
    expect(read).toEqual(['x', 'z']);
  });
});

describe('the record of a write (LOG-1)', () => {
  it('has the document before and after it', async () => {
    const { prepare } = open();
    const replaced: WriteOutcome = { status: 'replaced', version: 4, meta };
    const change = toChange(await prepare(put('any')), replaced, ABOUT);
    expect(change).toEqual({ id: 'x', before: BEFORE, after: { source: { n: 4 }, version: 4, meta }, ...ABOUT });
    const deleted = toChange(await prepare(remove('present')), { status: 'deleted', version: 3 }, ABOUT);
    expect(deleted).toEqual({ id: 'x', before: BEFORE, after: null, ...ABOUT });
  });

  it('is missing for a write that failed, and in a collection that is not recorded', async () => {
    const failed: WriteOutcome = { status: 'failed', error: documentErrors.not_found({ ...THINGS, id: 'x' }) };
    const replaced: WriteOutcome = { status: 'replaced', version: 4, meta };
    expect(toChange(await open().prepare(put('any')), failed, ABOUT)).toBeUndefined();
    expect(toChange(await open(false).prepare(put('any')), replaced, ABOUT)).toBeUndefined();
  });
});

describe('a write that failed on its narrower condition', () => {
  const conflict = documentErrors.version_conflict({ id: 'x', expected: 3, actual: 4 });
  const absent = documentErrors.not_found({ ...THINGS, id: 'x' });

  it('is planned again', async () => {
    const { prepare } = open();
    for (const error of [conflict, absent])
      expect(lostRace(await prepare(put('any')), { status: 'failed', error })).toBe(true);
  });

  it('has failed if the caller gave that condition, or requires a document that is absent', async () => {
    const { prepare } = open();
    expect(lostRace(await prepare(put(2)), { status: 'failed', error: conflict })).toBe(false);
    expect(lostRace(await prepare(put('present', 'new')), { status: 'failed', error: absent })).toBe(false);
  });
});
