import { readFileSync } from 'node:fs';
import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { mergeDocument } from '../documents/mergeDocument.js';
import { parseSpecification } from './parseSpecification.js';
import { listErrorPaths } from './listErrorPaths.test.support.js';
import { admitDocument, validateDocument } from './validateDocument.js';
import { toErrorTree } from './toErrorTree.js';

interface Example {
  readonly name: string;
  readonly specification: JsonObject;
  readonly document: JsonObject;
  readonly valid: boolean;
  readonly errorPaths: readonly string[];
  readonly action?: 'update';
  readonly stored?: JsonObject;
}

const file = new URL('./validation-examples.json', import.meta.url);
const examples = JSON.parse(readFileSync(file, 'utf8')) as readonly Example[];
const nowMs = 1_700_000_000_000;

// VALID-4, VALID-10, VALID-11, VALID-12, VALID-13, VALID-14, VALID-20, VALID-25, VALID-31
describe('examples of specifications', () => {
  it.each(examples.filter(({ action }) => action === undefined))(
    '$name',
    ({ specification: given, document, valid, errorPaths }) => {
      const { specification, faults } = parseSpecification(given, 'i.c', nowMs);
      expect(faults).toEqual([]);
      const report = validateDocument(specification, { source: document, nowMs });
      expect(report.valid).toBe(valid);
      expect(listErrorPaths(report.errorMessages)).toEqual(errorPaths);
    },
  );

  it.each(examples.filter(({ action }) => action === 'update'))(
    '$name',
    ({ specification: given, document: changes, valid, errorPaths, stored = {} }) => {
      const { specification } = parseSpecification(given, 'i.c', nowMs);
      const source = mergeDocument(stored, changes);
      const { fault } = admitDocument(specification, { source, changes, nowMs });
      expect(fault === undefined).toBe(valid);
      expect(listErrorPaths(toErrorTree(fault === undefined ? [] : [fault]))).toEqual(errorPaths);
    },
  );
});
