import type { Fields } from '../connection.js';
import { isFields } from './columns.js';

/** The keys from the document down to a value. */
export type Path = readonly string[];

/** A value that differs between two contents; undefined where it is absent. */
export interface Change {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
}

/** One field that two writers have changed in different ways. */
export interface Conflict {
  readonly path: Path;
  readonly was: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** The values of a document: everything but objects with members, so that lists are values as a whole. */
export function leavesOf(source: Fields, path: Path = []): readonly { readonly path: Path; readonly value: unknown }[] {
  return Object.entries(source).flatMap(([key, value]) => {
    const inner = [...path, key];
    return isFields(value) && Object.keys(value).length > 0 && !isPoint(value)
      ? leavesOf(value, inner)
      : [{ path: inner, value }];
  });
}

/** Shown and edited as one value. */
function isPoint(value: Fields): boolean {
  return Object.keys(value).length === 2 && 'lat' in value && 'lon' in value;
}

/** What has to change in `before` to get `after`. */
export function changesBetween(before: Fields, after: Fields): readonly Change[] {
  const values = new Map<string, { path: Path; before?: unknown; after?: unknown }>();
  for (const { path, value } of leavesOf(before)) values.set(keyOf(path), { path, before: value });
  for (const { path, value } of leavesOf(after))
    values.set(keyOf(path), { ...values.get(keyOf(path)), path, after: value });
  return [...values.values()].flatMap(({ path, before: was, after: is }) =>
    JSON.stringify(was) === JSON.stringify(is) ? [] : [{ path, before: was, after: is }],
  );
}

/** Fields that both have changed, or of which one contains the other, in different ways. */
export function conflictsOf(mine: readonly Change[], theirs: readonly Change[]): readonly Conflict[] {
  return mine.flatMap(({ path, before, after }) => {
    const other = theirs.find((each) => contains(each.path, path) || contains(path, each.path));
    const isSame =
      other !== undefined && keyOf(other.path) === keyOf(path) && JSON.stringify(other.after) === JSON.stringify(after);
    return other === undefined || isSame ? [] : [{ path, was: before, mine: after, theirs: other.after }];
  });
}

/** The content with the changes made. */
export function applyChanges(source: Fields, changes: readonly Change[]): Fields {
  return changes.reduce((made, { path, after }) => withValue(made, path, after), source);
}

/** @param value undefined: the value is removed */
export function withValue(source: Fields, [key = '', ...rest]: Path, value: unknown): Fields {
  const { [key]: present, ...others } = source;
  if (rest.length === 0) return value === undefined ? others : { ...source, [key]: value };
  return { ...source, [key]: withValue(isFields(present) ? present : {}, rest, value) };
}

/** The body of an update; undefined if it removes something, which needs a replacement. */
export function toUpdate(changes: readonly Change[]): Fields | undefined {
  return changes.some(({ after }) => after === undefined) ? undefined : applyChanges({}, changes);
}

/** A path as an identifier. */
export function keyOf(path: Path): string {
  return JSON.stringify(path);
}

function contains(outer: Path, inner: Path): boolean {
  return outer.every((key, position) => inner[position] === key);
}
