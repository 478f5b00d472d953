import { describe, expect, it } from 'vitest';
import { NO_DOCUMENT_METADATA, stampMetadata } from '@millrace/kernel';
import { joinStored, packChange, packStamp, splitStored, unpackMetadata, writeMetadata } from './storedText.js';

const ANNA = { atMs: 1_700_000_000_000, userId: 'anna' };
const NOBODY = { atMs: 0, userId: null };
const ODD = { atMs: 4_102_444_800_000, userId: 'a:b{"c"}\u{1F600}' };
const JSON_TEXT = '{"a":"line\\nfeed"}';

describe('column j of a document', () => {
  it.each([ANNA, NOBODY, ODD])('gives back metadata and JSON of a creation: %j', (stamp) => {
    const { packed, json } = splitStored(joinStored(packStamp(stamp), JSON_TEXT));
    expect(json).toBe(JSON_TEXT);
    expect(unpackMetadata(packed)).toEqual(stampMetadata(null, stamp));
  });

  it.each([
    [ANNA, ODD],
    [ODD, NOBODY],
    [NOBODY, ANNA],
  ])('keeps the creation over changes: %j, %j', (first, second) => {
    const changed = packChange(packChange(packStamp(first), packStamp(ANNA)), packStamp(second));
    const { packed } = splitStored(joinStored(changed, JSON_TEXT));
    const created = stampMetadata(null, first);
    expect(unpackMetadata(packed)).toEqual(stampMetadata(created, second));
    expect(writeMetadata(packed)).toBe(JSON.stringify(unpackMetadata(packed)));
  });

  it('is the JSON alone where there is no metadata, as in format 1', () => {
    expect(joinStored('', JSON_TEXT)).toBe(JSON_TEXT);
    const { packed, json } = splitStored(JSON_TEXT);
    expect(json).toBe(JSON_TEXT);
    expect(unpackMetadata(packed)).toEqual(NO_DOCUMENT_METADATA);
    expect(unpackMetadata(packChange(packed, packStamp(ANNA)))).toEqual(stampMetadata(NO_DOCUMENT_METADATA, ANNA));
  });
});
