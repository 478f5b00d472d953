import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evaluateFilter } from './evaluateFilter.js';
import type { JsonObject } from './Json.js';
import { parseFilter } from './parse/parseFilter.js';

interface Example {
  readonly name: string;
  readonly filter: unknown;
  readonly document: JsonObject;
  readonly documentId?: string;
  readonly matches: boolean;
}

const file = new URL('./realtime-filters-examples.json', import.meta.url);
const examples = JSON.parse(readFileSync(file, 'utf8')) as readonly Example[];

describe('the examples of realtime-filters.md', () => {
  it.each(examples)('$name', ({ filter, document, documentId, matches }) => {
    const parsed = parseFilter(filter);
    expect(evaluateFilter(parsed, document, documentId)).toBe(matches);
  });
});
