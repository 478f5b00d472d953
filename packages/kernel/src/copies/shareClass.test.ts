import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { shareClass } from './shareClass.js';
import { VERSION } from './VERSION.js';

function copy() {
  class Fault extends Error {}
  class Narrow extends Fault {}
  shareClass(Fault, 'test.Fault');
  return { Fault, Narrow };
}

describe('shareClass', () => {
  it('recognises instances of another copy of the class, and nothing else', () => {
    const [one, two] = [copy(), copy()];
    expect(new one.Fault()).toBeInstanceOf(two.Fault);
    expect(new one.Narrow()).toBeInstanceOf(two.Fault);
    for (const value of [new Error('x'), { name: 'Fault' }, null, undefined, 'Fault', () => 1])
      expect(value instanceof one.Fault).toBe(false);
  });

  it('leaves subclasses the usual rule', () => {
    const { Fault, Narrow } = copy();
    expect(new Fault() instanceof Narrow).toBe(false);
    expect(new Narrow() instanceof Narrow).toBe(true);
  });
});

it('VERSION is the version of package.json', async () => {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  expect((JSON.parse(text) as { version: string }).version).toBe(VERSION);
});
