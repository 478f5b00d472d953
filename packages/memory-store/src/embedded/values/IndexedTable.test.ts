import { describe, expect, it } from 'vitest';
import { IndexedTable } from './IndexedTable.js';

describe('IndexedTable', () => {
  it('keeps the order of insertion, finds random rows, and closes its holes up', () => {
    const table = new IndexedTable<number>();
    for (let at = 0; at < 1000; at++) table.set(`k${at}`, at);
    for (let at = 0; at < 1000; at++) if (at % 10 !== 3) expect(table.delete(`k${at}`)).toBe(at);
    expect(table.keys().slice(0, 3)).toEqual(['k3', 'k13', 'k23']);
    expect(table.placeCount).toBeLessThanOrEqual(2 * table.size + 16);
    for (let draw = 0; draw < 100; draw++) expect((table.random()?.value ?? 0) % 10).toBe(3);
    expect(table.set('k13', -1)).toBe(false);
    expect(table.get('k13')).toBe(-1);
    expect(table.delete('none')).toBe(undefined);
    table.clear();
    expect(table.random()).toBe(undefined);
  });
});
