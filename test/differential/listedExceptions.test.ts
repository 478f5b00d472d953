import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LISTED_EXCEPTIONS } from './listedExceptions.js';

const PAGE = new URL('../../docs/reference/engine-differences.md', import.meta.url);

describe('docs/reference/engine-differences.md', () => {
  it('has a row with a reason for each listed exception, and no other row', () => {
    const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| `([a-z0-9-]+)` \| [^|]{20,} \| [^|]{10,} \|$/gm);
    const documented = Array.from(rows, ([, name]) => name);
    expect(documented).toEqual(LISTED_EXCEPTIONS.map(({ name }) => name));
  });
});
