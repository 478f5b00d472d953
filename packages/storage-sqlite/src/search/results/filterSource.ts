import type { JsonObject, JsonValue, SourceFilter } from '@millrace/query';
import { parseWildcard, type WildcardPattern } from '../queries/wildcard.js';

/*
 * `_source` filtering (query-language.md section 1), as Elasticsearch does it: patterns speak of dotted paths, `*` also
 * spans dots, a path is included with everything below it, and exclusion wins.
 */

/** Patterns made ready for many documents. */
export class SourceSelection {
  private readonly includes: readonly PathPattern[];
  private readonly excludes: readonly PathPattern[];

  constructor(filter: SourceFilter) {
    this.includes = filter.includes.map((pattern) => new PathPattern(pattern));
    this.excludes = filter.excludes.map((pattern) => new PathPattern(pattern));
  }

  get selectsAll(): boolean {
    return this.includes.length === 0 && this.excludes.length === 0;
  }

  select(source: JsonObject): JsonObject {
    return this.selectObject(source, '', this.includes.length === 0);
  }

  /** As `select`, for an object that stands at a path of its document; patterns speak of the document. */
  selectAt(object: JsonObject, path: string): JsonObject {
    if (this.selectsAll) return object;
    const isIncluded =
      this.includes.length === 0 || this.includes.some((pattern) => pattern.covers(path));
    return this.selectObject(object, `${path}.`, isIncluded);
  }

  private selectObject(source: JsonObject, prefix: string, isIncluded: boolean): JsonObject {
    const entries: [string, JsonValue][] = [];
    for (const [key, value] of Object.entries(source)) {
      const path = prefix + key;
      const selected = this.selectValue(value, path, isIncluded);
      if (selected !== undefined) entries.push([key, selected]);
    }
    // Unlike an assignment, this makes an own property of any key.
    return Object.fromEntries(entries);
  }

  private selectValue(
    value: JsonValue,
    path: string,
    parentIsIncluded: boolean,
  ): JsonValue | undefined {
    if (this.excludes.some((pattern) => pattern.covers(path))) return undefined;
    const isIncluded = parentIsIncluded || this.includes.some((pattern) => pattern.covers(path));
    if (isIncluded && this.excludes.length === 0) return value;
    if (Array.isArray(value))
      return this.selectList(value as readonly JsonValue[], path, isIncluded);
    if (typeof value !== 'object' || value === null) return isIncluded ? value : undefined;
    const selected = this.selectObject(value as JsonObject, `${path}.`, isIncluded);
    return isIncluded || Object.keys(selected).length > 0 ? selected : undefined;
  }

  private selectList(
    list: readonly JsonValue[],
    path: string,
    isIncluded: boolean,
  ): JsonValue | undefined {
    const selected: JsonValue[] = [];
    for (const item of list) {
      const kept = this.selectItem(item, path, isIncluded);
      if (kept !== undefined) selected.push(kept);
    }
    return isIncluded || selected.length > 0 ? selected : undefined;
  }

  private selectItem(item: JsonValue, path: string, isIncluded: boolean): JsonValue | undefined {
    if (Array.isArray(item)) return this.selectList(item as readonly JsonValue[], path, isIncluded);
    if (typeof item !== 'object' || item === null) return isIncluded ? item : undefined;
    const selected = this.selectObject(item as JsonObject, `${path}.`, isIncluded);
    return isIncluded || Object.keys(selected).length > 0 ? selected : undefined;
  }
}

class PathPattern {
  private readonly whole: WildcardPattern;
  private readonly below: WildcardPattern;

  constructor(pattern: string) {
    const literal = pattern.replace(/[\\?]/g, '\\$&');
    this.whole = parseWildcard(literal, (text) => text);
    this.below = parseWildcard(`${literal}.*`, (text) => text);
  }

  covers(path: string): boolean {
    return this.whole.matches(path) || this.below.matches(path);
  }
}
