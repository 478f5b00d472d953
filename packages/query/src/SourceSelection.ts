import type { JsonObject, JsonValue } from '@millrace/language';
import { compileWildcard } from './compileWildcard.js';
import type { SourceFilter } from './tree/SearchRequest.js';
import { selectFields, type FieldSet } from './view/FieldSet.js';

/*
 * `_source` filtering (SEARCH-2), as Elasticsearch does it: patterns match dotted paths, a path is included with
 * everything below it, and exclusion wins. Elasticsearch has two pattern semantics: `*` matches characters within one
 * path segment if whole documents are filtered; it also matches dots if an exclude contains a `*` or if part of a
 * document is filtered (inner hits).
 */

/** Patterns compiled for many documents. */
export class SourceSelection {
  private readonly includes: readonly PathPattern[];
  private readonly excludes: readonly PathPattern[];
  /** The selection for parts of documents; `this` if its patterns match dots anyway. */
  private readonly ofParts: SourceSelection;
  /** Undefined: nothing is cut. */
  private readonly maxLength: number | undefined;

  constructor(filter: SourceFilter, isOfParts = false) {
    const spansDots = isOfParts || filter.excludes.some((pattern) => pattern.includes('*'));
    const Pattern = spansDots ? SpanningPattern : SegmentPattern;
    this.includes = filter.includes.map((pattern) => new Pattern(pattern));
    this.excludes = filter.excludes.map((pattern) => new Pattern(pattern));
    this.ofParts = spansDots ? this : new SourceSelection(filter, true);
    this.maxLength = filter.maxLength;
  }

  get selectsAll(): boolean {
    return this.includes.length === 0 && this.excludes.length === 0;
  }

  /** Whether hits that show all fields have their documents as they are stored. */
  get isWhole(): boolean {
    return this.selectsAll && this.maxLength === undefined;
  }

  /**
   * The document of a hit: the selected part of the visible fields. Long values are cut at last, so that hidden items
   * of a list take no place in it.
   * @param fields null: all are visible
   */
  show(source: JsonObject, fields: FieldSet | null): JsonObject {
    const selected = this.selectsAll ? source : this.select(source);
    const visible = fields === null ? selected : selectFields(selected, fields);
    return this.maxLength === undefined ? visible : cutMembers(visible, this.maxLength);
  }

  select(source: JsonObject): JsonObject {
    return this.selectObject(source, '', this.includes.length === 0);
  }

  /** As `select`, for an object at a path of its document; patterns match paths of the document. */
  selectAt(object: JsonObject, path: string): JsonObject {
    if (this.selectsAll) return object;
    if (this.ofParts !== this) return this.ofParts.selectAt(object, path);
    const isIncluded = this.includes.length === 0 || this.includes.some((pattern) => pattern.covers(path));
    return this.selectObject(object, `${path}.`, isIncluded);
  }

  private selectObject(source: JsonObject, prefix: string, isIncluded: boolean): JsonObject {
    const entries: [string, JsonValue][] = [];
    for (const [key, value] of Object.entries(source)) {
      const path = prefix + key;
      const selected = this.selectValue(value, path, isIncluded);
      if (selected !== undefined) entries.push([key, selected]);
    }
    // Unlike an assignment, this defines an own property for any key.
    return Object.fromEntries(entries);
  }

  private selectValue(value: JsonValue, path: string, parentIsIncluded: boolean): JsonValue | undefined {
    if (this.excludes.some((pattern) => pattern.covers(path))) return undefined;
    const isIncluded = parentIsIncluded || this.includes.some((pattern) => pattern.covers(path));
    if (isIncluded && !this.excludes.some((pattern) => pattern.reaches(path))) return value;
    if (Array.isArray(value)) return this.selectList(value as readonly JsonValue[], path, isIncluded);
    if (typeof value !== 'object' || value === null) return isIncluded ? value : undefined;
    return this.selectInner(value as JsonObject, path, isIncluded);
  }

  /**
   * With segment patterns, an object that loses all its content is dropped too; otherwise it is kept if it is included
   * itself.
   */
  private selectInner(object: JsonObject, path: string, isIncluded: boolean): JsonObject | undefined {
    const selected = this.selectObject(object, `${path}.`, isIncluded);
    if (Object.keys(selected).length > 0) return selected;
    return isIncluded && this.ofParts === this ? selected : undefined;
  }

  private selectList(list: readonly JsonValue[], path: string, isIncluded: boolean): JsonValue | undefined {
    const selected: JsonValue[] = [];
    for (const item of list) {
      const kept = this.selectItem(item, path, isIncluded);
      if (kept !== undefined) selected.push(kept);
    }
    if (selected.length > 0) return selected;
    return isIncluded && this.ofParts === this ? selected : undefined;
  }

  /** Lists keep no empty items. */
  private selectItem(item: JsonValue, path: string, isIncluded: boolean): JsonValue | undefined {
    if (typeof item !== 'object' || item === null) return isIncluded ? item : undefined;
    const selected = Array.isArray(item)
      ? this.selectList(item as readonly JsonValue[], path, isIncluded)
      : this.selectInner(item as JsonObject, path, isIncluded);
    const isEmpty = typeof selected === 'object' && Object.keys(selected ?? {}).length === 0;
    return isEmpty ? undefined : selected;
  }
}

/** A string keeps its first characters and an ellipsis, a list its first items and one more (SEARCH-6). */
function cutValue(value: JsonValue, maxLength: number): JsonValue {
  if (typeof value === 'string') return cutText(value, maxLength);
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return cutMembers(value as JsonObject, maxLength);
  return (value as readonly JsonValue[]).slice(0, maxLength + 1).map((item) => cutValue(item, maxLength));
}

function cutMembers(object: JsonObject, maxLength: number): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, cutValue(value, maxLength)]));
}

/** Counts code points, as most languages do: no character is cut in two. */
function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  for (let count = 0; count < maxLength; count++) {
    if (end >= text.length) return text;
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end >= text.length ? text : `${text.slice(0, end)}…`;
}

interface PathPattern {
  /** True for a path that the pattern matches, and for all paths below it. */
  covers(path: string): boolean;
  /** True if something below the path may be covered. */
  reaches(path: string): boolean;
}

/** `*` within one segment, `**` any number of segments. */
class SegmentPattern implements PathPattern {
  private readonly expression: RegExp;
  /** Ancestors of paths that the pattern matches. */
  private readonly above: RegExp;

  constructor(pattern: string) {
    const parts = pattern.split('.').map((part) => {
      if (part === '**') return '(?:[^.]+)(?:\\.[^.]+)*';
      return part
        .split('*')
        .map((text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
        .join('[^.]*');
    });
    this.expression = new RegExp(`^${parts.join('\\.')}(?:\\.|$)`, 's');
    const heads = parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join('\\.'));
    const reaching = pattern.includes('**') ? ['.*'] : heads;
    this.above = new RegExp(`^(?:${reaching.join('|')})$`, 's');
  }

  reaches(path: string): boolean {
    return this.above.test(path);
  }

  covers(path: string): boolean {
    return this.expression.test(path);
  }
}

/** `*` matches any characters, including dots. */
class SpanningPattern implements PathPattern {
  private readonly isWhole: (path: string) => boolean;
  private readonly isBelow: (path: string) => boolean;
  /** The part before the first star, or the whole pattern without a star. */
  private readonly beginning: string;
  private readonly hasStar: boolean;

  constructor(pattern: string) {
    this.beginning = pattern.replace(/\*.*$/s, '');
    this.hasStar = pattern.includes('*');
    this.isWhole = compileWildcard(pattern);
    this.isBelow = compileWildcard(`${pattern}.*`);
  }

  covers(path: string): boolean {
    return this.isWhole(path) || this.isBelow(path);
  }

  reaches(path: string): boolean {
    const above = `${path}.`;
    return this.beginning.startsWith(above) || (this.hasStar && above.startsWith(this.beginning));
  }
}
