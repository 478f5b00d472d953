/*
 * `_source` filtering. A pattern that fits a path selects everything below it; an object above a selected path is kept
 * with what is selected. Excludes win.
 */
import { compileWildcard } from './compileWildcard.js';
import { isJsonObject } from './isJsonObject.js';
import type { JsonObject, JsonValue } from './tree/Json.js';
import type { SourceFilter } from './tree/SourceFilter.js';

/**
 * Makes a filter ready for many documents.
 * @returns a function that gives the part of a source to show; it changes nothing and shares unfiltered parts
 */
export function compileSourceFilter(
  filter: SourceFilter,
): (source: JsonObject) => JsonObject | undefined {
  if (!filter.enabled) return () => undefined;
  if (filter.includes.length + filter.excludes.length === 0) return (source) => source;
  const includes = filter.includes.map(compileWildcard);
  const excludes = filter.excludes.map(compileWildcard);
  const isIn = (list: readonly ((text: string) => boolean)[], path: string): boolean =>
    list.some((fits) => fits(path));

  const pick = (source: JsonObject, prefix: string, isSelected: boolean): JsonObject => {
    const entries: [string, JsonValue][] = [];
    for (const [key, value] of Object.entries(source)) {
      const path = `${prefix}${key}`;
      if (isIn(excludes, path)) continue;
      const selected = isSelected || isIn(includes, path);
      const picked = pickValue(value, path, selected);
      if (picked !== undefined) entries.push([key, picked]);
    }
    return Object.fromEntries(entries);
  };
  const pickValue = (value: JsonValue, path: string, selected: boolean): JsonValue | undefined => {
    if (isJsonObject(value)) {
      const inner = pick(value, `${path}.`, selected);
      return selected || Object.keys(inner).length > 0 ? inner : undefined;
    }
    if (!Array.isArray(value)) return selected ? value : undefined;
    const items = (value as readonly JsonValue[]).flatMap((item) => {
      const inner = pickValue(item, path, selected);
      return inner === undefined ? [] : [inner];
    });
    return selected || items.length > 0 ? items : undefined;
  };
  return (source) => pick(source, '', includes.length === 0);
}
