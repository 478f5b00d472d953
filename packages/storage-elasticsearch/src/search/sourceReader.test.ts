import { describe, expect, it } from 'vitest';
import { METADATA } from '../client/METADATA.js';
import { sourceReader } from './sourceReader.js';

const source = { [METADATA]: 1, e: {}, list: [], other: {}, a: { b: 1 } };
const read = (excludes: string[]) => sourceReader({ enabled: true, includes: [], excludes })(source, null);

describe('sourceReader', () => {
  it('leaves out what is empty where an exclude speaks of something below it, which servers of version 9 keep', () => {
    expect(read(['e.x', 'list.x', 'a.x'])).toEqual({ other: {}, a: { b: 1 } });
  });
  it('keeps everything but the metadata where nothing is excluded', () => {
    expect(read([])).toEqual({ e: {}, list: [], other: {}, a: { b: 1 } });
  });
  it('cuts long values, which Elasticsearch can not', () => {
    const cut = sourceReader({ enabled: true, includes: ['a'], excludes: [], maxLength: 3 });
    expect(cut({ [METADATA]: 1, a: 'abcd' }, null)).toEqual({ a: 'abc…' });
  });
});
