import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

/** An operation of JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/** How to make one value from another. */
export interface JsonDiff {
  /** Of too many, more than the limit, but not all. */
  readonly operations: readonly PatchOperation[];
  /** Values of both that were compared, without objects and lists. */
  readonly comparedCount: number;
}

/** The operations from one value to another. Lists of different lengths are replaced as a whole. */
export function diffJson(before: JsonValue, after: JsonValue, limit = Infinity): JsonDiff {
  const walk = new Walk(limit);
  walk.compare(before, after);
  return walk;
}

/** Makes a path only where something differs: results have tens of thousands of equal values. */
class Walk implements JsonDiff {
  readonly operations: PatchOperation[] = [];
  comparedCount = 0;
  private readonly path: (string | number)[] = [];

  constructor(private readonly limit: number) {}

  compare(before: JsonValue, after: JsonValue): void {
    if (this.operations.length > this.limit) return;
    if (isJsonObject(before) && isJsonObject(after)) this.compareObjects(before, after);
    else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
      this.compareLists(before, after);
    } else {
      this.comparedCount++;
      if (before !== after) this.operations.push({ op: 'replace', path: this.pointer(), value: after });
    }
  }

  private compareLists(before: readonly JsonValue[], after: readonly JsonValue[]): void {
    for (let n = 0; n < before.length; n++) {
      this.path.push(n);
      this.compare(before[n] as JsonValue, after[n] as JsonValue);
      this.path.pop();
    }
  }

  private compareObjects(before: JsonObject, after: JsonObject): void {
    for (const name in before) {
      if (!Object.hasOwn(after, name)) this.operations.push({ op: 'remove', path: this.pointer(name) });
    }
    for (const name in after) {
      const value = after[name] as JsonValue;
      if (!Object.hasOwn(before, name)) {
        this.operations.push({ op: 'add', path: this.pointer(name), value });
        continue;
      }
      this.path.push(name);
      this.compare(before[name] as JsonValue, value);
      this.path.pop();
    }
  }

  private pointer(last?: string): string {
    let pointer = '';
    for (const step of this.path) pointer += toStep(step);
    return last === undefined ? pointer : pointer + toStep(last);
  }
}

function toStep(step: string | number): string {
  return typeof step === 'number' ? `/${step}` : `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
