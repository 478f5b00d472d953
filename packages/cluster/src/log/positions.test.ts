import { describe, expect, it } from 'vitest';
import { END_OF_ENTRY, isOfOtherLog, newEpoch, parseCursor, toCursor } from './positions.js';

const EPOCH = 'k3f9a2xq';

describe('cursors of the stream (LOG-2)', () => {
  it('sort as strings in the order of entries and of the messages in them', () => {
    const ordered = [
      toCursor(EPOCH, '0-0', 0),
      toCursor(EPOCH, '9-0', 0),
      toCursor(EPOCH, '10-0', 0),
      toCursor(EPOCH, '1700000000000-9', 5),
      toCursor(EPOCH, '1700000000000-10', 0),
      toCursor(EPOCH, '1700000000000-10', 9),
      toCursor(EPOCH, '1700000000000-10', 10),
      toCursor(EPOCH, '1700000000000-10', END_OF_ENTRY),
      toCursor(EPOCH, '1700000000001-0', 0),
    ];
    expect([...ordered].reverse().sort()).toEqual(ordered);
  });

  it('have at most 32 characters, and are parsed to the position that they were made of', () => {
    const cursor = toCursor(EPOCH, '1700000000000-123', 7);
    expect(cursor.length).toBeLessThanOrEqual(32);
    expect(parseCursor(cursor)).toEqual({ epoch: EPOCH, entryId: '1700000000000-123', place: 7 });
  });

  it('stay within their width for numbers beyond it', () => {
    const beyond = toCursor(EPOCH, `1700000000000-${2 ** 40}`, 1e9);
    expect(beyond).toHaveLength(toCursor(EPOCH, '0-0', 0).length);
    expect(parseCursor(beyond)?.place).toBe(END_OF_ENTRY);
  });

  it('are not taken from another log, or malformed', () => {
    const ofOneServer = `${EPOCH}.0000000a4f2`;
    for (const text of [
      '',
      EPOCH,
      ofOneServer,
      toCursor(EPOCH, '1-0', 0).toUpperCase(),
      `${toCursor(EPOCH, '1-0', 0)}0`,
    ])
      expect(parseCursor(text), text).toBeUndefined();
    expect(isOfOtherLog(ofOneServer, 'zzzzzzzz')).toBe(true);
    expect(isOfOtherLog(ofOneServer, EPOCH)).toBe(false);
    expect(isOfOtherLog('no cursor', EPOCH)).toBe(false);
  });
});

describe('epochs', () => {
  it('sort after earlier ones', () => {
    const epochs = [1_700_000_000_000, 1_700_000_001_000, 1_900_000_000_000].map(newEpoch);
    expect([...epochs].sort()).toEqual(epochs);
    for (const epoch of epochs) expect(epoch).toMatch(/^[0-9a-z]{8}$/);
  });
});
