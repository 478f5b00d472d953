import { describe, expect, it } from 'vitest';
import { Places } from './Places.js';

describe('Places', () => {
  it('go to those who come first, and on to those who wait', async () => {
    const places = new Places(2);
    const got: string[] = [];
    const take = async (name: string) => {
      if (await places.take(1_000)) got.push(name);
    };
    const all = [take('a'), take('b'), take('c'), take('d')];
    await Promise.all(all.slice(0, 2));
    expect(got).toEqual(['a', 'b']);
    places.leave();
    await all[2];
    expect(got).toEqual(['a', 'b', 'c']);
    places.leave();
    await all[3];
    expect(got).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are not given to those who waited too long, nor kept for them', async () => {
    const places = new Places(1);
    expect(await places.take(10)).toBe(true);
    expect(await places.take(10)).toBe(false);
    places.leave();
    expect(await places.take(10)).toBe(true);
  });
});
