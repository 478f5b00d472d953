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
    expect(table.delete('k13')).toBe(-1);
    expect([table.has('k13'), table.get('k13')]).toEqual([false, undefined]);
    expect(table.set('k13', 13)).toBe(true);
    expect(table.keys().at(-1)).toBe('k13');
    table.clear();
    expect(table.random()).toBe(undefined);
  });

  it('finds a key that comes and goes as fast as any other', () => {
    const table = new IndexedTable<number>();
    for (let at = 0; at < 20_000; at++) table.set(`k${at}`, at);
    for (let at = 0; at < 100_000; at++) {
      table.set('queue', at);
      table.delete('queue');
    }
    expect(table.size).toBe(20_000);
  });
});
