import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/language';
import { evaluateFilter } from './evaluateFilter.js';
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

// FILTER-3, FILTER-4, FILTER-5, FILTER-6, FILTER-10, FILTER-11, FILTER-12, FILTER-13, FILTER-20, FILTER-21, FILTER-22,
// FILTER-23, FILTER-30, FILTER-31
describe('examples of filters', () => {
  it.each(examples)('$name', ({ filter, document, documentId, matches }) => {
    const parsed = parseFilter(filter);
    expect(evaluateFilter(parsed, document, documentId)).toBe(matches);
  });
});
