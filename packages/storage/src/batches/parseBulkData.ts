/*
 * Structure of a bulk import (DOC-32), checked before anything is written: a structural error refuses the whole call.
 * Errors of single items (names, `_`-keys, values) are detected later.
 */
import {
  apiErrors,
  EventLoopPacer,
  isJsonObject,
  showValue,
  storageErrors,
  type JsonObject,
  type JsonValue,
} from '@millrace/kernel';
import { own } from '@millrace/language';

const ACTIONS = ['index', 'create', 'update', 'delete'] as const;
const ACTION_LIST = ACTIONS.map((action) => `"${action}"`).join(', ');
const TARGET_KEYS = new Set(['_id', '_index', '_type']);

/** The actions of an action line. */
export type BulkAction = (typeof ACTIONS)[number];

/** One action with its document, as parsed from the lines; names and content are not validated yet. */
export interface BulkLine {
  readonly action: BulkAction;
  readonly index: string;
  readonly collection: string;
  /** Absent if the line has none. Never absent for update and delete. */
  readonly id: string | undefined;
  /** The document, the `doc` of an update, null for a delete. */
  readonly document: JsonObject | null;
}

/** The default target of lines that name none, and the index that lines must not name. */
export interface BulkTarget {
  /** From the path; null on the global route. */
  readonly index: string | null;
  readonly collection: string | null;
  readonly internalIndex: string;
}

/** @throws api.invalid_argument (400) naming the line, counted from 1; storage.internal_index (403) */
export async function parseBulkData(lines: readonly JsonValue[], target: BulkTarget): Promise<readonly BulkLine[]> {
  if (lines.length === 0) {
    throw apiErrors.invalid_argument({
      name: 'bulkData',
      value: 'an empty list',
      expected: 'a list of at least one action line',
    });
  }
  const parsed: BulkLine[] = [];
  const pacer = new EventLoopPacer();
  for (let position = 0; position < lines.length; position++) {
    const line = parseActionLine(lines, position, target);
    parsed.push(line);
    // Skips the document line of this action.
    if (line.action !== 'delete') position++;
    if (pacer.isDue()) await pacer.rest();
  }
  return parsed;
}

function parseActionLine(lines: readonly JsonValue[], position: number, target: BulkTarget): BulkLine {
  const number = position + 1;
  const line = lines[position];
  if (!isJsonObject(line)) throw refused(number, line, `an action line with one of ${ACTION_LIST}`);
  const [action, more] = Object.keys(line);
  if (!isAction(action) || more !== undefined) {
    throw refused(number, describeKeys(line), `an action line with exactly one of ${ACTION_LIST}`);
  }
  const meta = line[action];
  if (!isJsonObject(meta)) throw refused(number, meta, `an object under "${action}"`);
  for (const key of Object.keys(meta)) {
    if (TARGET_KEYS.has(key)) continue;
    throw refused(number, `key ${showValue(key)}`, 'no other keys than "_id", "_index", "_type"');
  }
  // Checked before the comparison with the path: the internal index is inaccessible on every route.
  if (own(meta, '_index') === target.internalIndex) throw storageErrors.internal_index({});
  const index = readTarget(number, meta, '_index', target.index);
  const collection = readTarget(number, meta, '_type', target.collection);
  const id = readId(number, meta);
  if (id === undefined && (action === 'update' || action === 'delete')) {
    throw refused(number, 'none', `an "_id" for "${action}"`);
  }
  const document = action === 'delete' ? null : readDocument(lines, position + 1, action);
  return { action, index, collection, id, document };
}

function readTarget(number: number, meta: JsonObject, key: '_index' | '_type', fromPath: string | null): string {
  const value = own(meta, key) ?? fromPath;
  if (typeof value !== 'string') {
    throw refused(number, value ?? 'none', `a string for "${key}"`);
  }
  if (fromPath !== null && value !== fromPath) {
    throw refused(number, value, `"${key}" to be ${JSON.stringify(fromPath)} as in the path`);
  }
  return value;
}

function readId(number: number, meta: JsonObject): string | undefined {
  const id = own(meta, '_id');
  if (id === undefined || id === null) return undefined;
  if (typeof id === 'string') return id;
  if (typeof id === 'number') return String(id);
  throw refused(number, id, 'a string or a number for "_id"');
}

function readDocument(
  lines: readonly JsonValue[],
  position: number,
  action: 'index' | 'create' | 'update',
): JsonObject {
  const number = position + 1;
  if (position >= lines.length) {
    throw refused(number, 'the end of the list', `the document line of "${action}"`);
  }
  const line = lines[position];
  if (!isJsonObject(line)) throw refused(number, line, 'an object as document line');
  if (action !== 'update') return line;
  const doc = own(line, 'doc');
  if (!isJsonObject(doc)) throw refused(number, doc ?? 'none', 'an object under "doc"');
  const unknown = Object.keys(line).find((key) => key !== 'doc');
  if (unknown === undefined) return doc;
  throw refused(number, `key ${showValue(unknown)}`, 'no other key than "doc" next to an update');
}

function isAction(key: string | undefined): key is BulkAction {
  return ACTIONS.some((action) => action === key);
}

function describeKeys(line: JsonObject): string {
  const keys = Object.keys(line);
  const shown = keys.slice(0, 5).map((key) => showValue(key));
  return keys.length === 0 ? 'no key' : shown.join(', ');
}

function refused(number: number, value: unknown, expected: string): Error {
  return apiErrors.invalid_argument({
    name: `bulkData line ${number}`,
    value: typeof value === 'string' ? value.slice(0, 200) : showValue(value),
    expected,
  });
}
