import { canonicalJson } from '../realtime/canonicalJson.js';
import { isObject } from './isObject.js';

/** Two changes of one content, merged. */
export interface Merged {
  readonly result: unknown;
  /** Paths of the fields that both have changed, and where theirs was taken. */
  readonly lost: readonly string[];
}

/** Merges what was changed on two sides since `base`, field by field; `undefined` stands for an absent field. */
export function mergeContent(base: unknown, mine: unknown, theirs: unknown): Merged {
  const lost: string[] = [];
  const merge = (was: unknown, my: unknown, their: unknown, path: string): unknown => {
    if (isSame(my, was) || isSame(my, their)) return their;
    if (isSame(their, was)) return my;
    if (isObject(my) && isObject(their)) {
      const before = isObject(was) ? was : {};
      const result: Record<string, unknown> = {};
      for (const name of new Set([...Object.keys(their), ...Object.keys(my)])) {
        const inner = path === '' ? name : `${path}.${name}`;
        const value = merge(before[name], my[name], their[name], inner);
        if (value !== undefined) result[name] = value;
      }
      return result;
    }
    lost.push(path);
    return their;
  };
  return { result: merge(base, mine, theirs, ''), lost };
}

/** Whether two JSON values are equal, whatever the order of members. */
export function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
