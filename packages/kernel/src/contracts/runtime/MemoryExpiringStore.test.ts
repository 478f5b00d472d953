import { describe, expect, it } from 'vitest';
import { MemoryExpiringStore } from './MemoryExpiringStore.js';

function open(maxEntries = 10) {
  const time = { ms: 0 };
  const clock = { nowMs: () => time.ms, monotonicMs: () => time.ms };
  return { time, store: new MemoryExpiringStore(clock, maxEntries) };
}

describe('MemoryExpiringStore', () => {
  it('gives a value once to those who take it', () => {
    const { store } = open();
    expect(store.add('a', { n: 1 }, 100)).toBe(true);
    expect(store.read('a')).toEqual({ n: 1 });
    expect(store.take('a')).toEqual({ n: 1 });
    expect(store.take('a')).toBeNull();
    expect(store.read('a')).toBeNull();
  });

  it('adds nothing under a key that is there, until its end', () => {
    const { store, time } = open();
    store.add('a', { n: 1 }, 100);
    expect(store.add('a', { n: 2 }, 100)).toBe(false);
    time.ms = 99;
    expect(store.read('a')).toEqual({ n: 1 });
    time.ms = 100;
    expect(store.read('a')).toBeNull();
    expect(store.take('a')).toBeNull();
    store.add('a', { n: 2 }, 100);
    expect(store.read('a')).toEqual({ n: 2 });
  });

  it('drops the oldest past its bound, and what is over by and by', () => {
    const { store, time } = open(3);
    for (const key of ['a', 'b', 'c', 'd']) store.add(key, {}, 100);
    expect(store.size).toBe(3);
    expect(store.read('a')).toBeNull();
    expect(store.read('d')).toEqual({});
    time.ms = 200;
    store.add('e', {}, 100);
    expect(store.size).toBe(1);
  });

  it('takes keys with a meaning of their own for data', () => {
    const { store } = open();
    expect(store.read('__proto__')).toBeNull();
    expect(store.add('__proto__', { n: 1 }, 100)).toBe(true);
    expect(store.take('__proto__')).toEqual({ n: 1 });
  });
});
