import { describe, expect, it } from 'vitest';
import { toDocumentId } from './DocumentId.js';
import { toIndexName } from './IndexName.js';
import { toCollectionName } from './toCollectionName.js';

const REFUSED = expect.objectContaining({ id: 'storage.invalid_name', status: 400 }) as unknown;

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('names of data (DOC-1, DOC-3)', () => {
  it.each(['a', '0', 'a.-_9', 'x'.repeat(64), 'constructor', 'users'])('takes index %j', (name) => {
    expect(errorOf(() => toIndexName(name))).toBeUndefined();
  });

  it.each(['', 'A', '-a', '.a', '_a', 'a b', 'a/b', 'a,b', 'a*', '%x', 'é', 'a\n', '<now/d>', 'x'.repeat(65)])(
    'refuses index %j',
    (name) => {
      expect(errorOf(() => toIndexName(name))).toEqual(REFUSED);
    },
  );

  it('takes capitals in names of collections alone', () => {
    expect(toCollectionName('a', 'Things.9_-')).toEqual({ index: 'a', collection: 'Things.9_-' });
    for (const name of ['', '_a', '.', '..', 'a b', 'é', 'x'.repeat(65)]) {
      expect(errorOf(() => toCollectionName('a', name))).toEqual(REFUSED);
    }
  });

  it.each(['a', ' ', '..', 'a/b', '%00', 'é✓漢', '😀', '"', 'x'.repeat(512), 'é'.repeat(256)])(
    'takes document id %j',
    (id) => expect(errorOf(() => toDocumentId(id))).toBeUndefined(),
  );

  it.each([
    '',
    'a\u0000',
    '\n',
    '\u007f',
    '\u0085',
    'a\ud800',
    '\udc00b',
    'x'.repeat(513),
    'é'.repeat(257),
    'x'.repeat(1e6),
  ])('refuses document id number %#', (id) => {
    expect(errorOf(() => toDocumentId(id))).toEqual(REFUSED);
  });

  it('shows no more of a long name than needed', () => {
    const error = errorOf(() => toDocumentId('x'.repeat(1e6))) as Error;
    expect(error.message.length).toBeLessThan(250);
  });
});
