/* Differences that stay. Each has a row with its reason in docs/reference/engine-differences.md. */
import type { JsonObject } from '@millrace/kernel';
import type { Mismatch, RequestBody } from './Answer.js';

/** What an exception may look at. */
export interface Case extends Mismatch {
  readonly request: RequestBody;
  readonly mapping: JsonObject;
}

export interface ListedException {
  readonly name: string;
  readonly applies: (seen: Case) => boolean;
}

const asks = ({ request }: Case, pattern: RegExp): boolean => pattern.test(JSON.stringify(request));

export const LISTED_EXCEPTIONS: readonly ListedException[] = [
  {
    name: 'elasticsearch-fault',
    applies: ({ kind, right }) =>
      kind === 'refused by Elasticsearch alone' &&
      /: 500: |(failed to create query|all shards failed): null|Rewrite first|must be rewritten first|score for different docid|Index \d+ out of bounds|read past EOF|Error retrieving path|FieldExistsQuery requires|Child query must not match same docs/.test(
        String(right),
      ),
  },
  {
    name: 'composite-beside-range',
    applies: (seen) =>
      /^aggregations\.\w+\.(buckets|after_key)/.test(seen.kind) &&
      asks(seen, /"composite"/) &&
      asks(seen, /"(query|filter)":\{.*"(range|term)"/),
  },
];
