import { describe, expect, it } from 'vitest';
import { StructureLock } from './StructureLock.js';

/** A task that logs its begin and end, and ends on demand. */
function task(name: string, log: string[]) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const run = async () => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
  };
  return { run, end };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('StructureLock', () => {
  it('runs shared tasks together and an exclusive one alone, in order of arrival', async () => {
    const log: string[] = [];
    const lock = new StructureLock();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => task(name, log));
    if (!a || !b || !c || !d) throw new Error('four tasks');
    const all = [lock.share(a.run), lock.share(b.run), lock.exclude(c.run), lock.share(d.run)];
    await settle();
    expect(log).toEqual(['a begins', 'b begins']);
    b.end();
    a.end();
    await settle();
    expect(log.slice(2)).toEqual(['b ends', 'a ends', 'c begins']);
    d.end();
    await settle();
    expect(log.slice(5)).toEqual([]);
    c.end();
    await Promise.all(all);
    expect(log.slice(5)).toEqual(['c ends', 'd begins', 'd ends']);
  });

  it('goes on after a task that fails, and gives the failure to its caller', async () => {
    const lock = new StructureLock();
    const failing = lock.exclude(async () => Promise.reject(new Error('no')));
    const shared = lock.share(async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await shared).toBe('yes');
    await expect(lock.share(async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await lock.exclude(async () => 'yes')).toBe('yes');
  });
});
