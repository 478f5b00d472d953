/*
 * Finds all fields of a collection in one walk over the document, for collections with more fields than a document has
 * keys: the cost then depends on the size of the document, not on the number of fields. The walk enters only objects
 * that some field path leads into. A key with dots descends several steps; values are set in document order, so the
 * last spelling counts (FILTER-4).
 */
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/language';
import type { FieldIndex } from './FieldIndex.js';
import type { MatchRun } from './MatchRun.js';

interface Step {
  readonly next: Map<string, Step>;
  field: FieldIndex | undefined;
}

export class PathTrie {
  private readonly root: Step = { next: new Map(), field: undefined };

  add(field: FieldIndex): void {
    let step = this.root;
    for (const key of field.path.split('.')) {
      let next = step.next.get(key);
      if (next === undefined) step.next.set(key, (next = { next: new Map(), field: undefined }));
      step = next;
    }
    step.field = field;
  }

  remove(field: FieldIndex): void {
    const way: [Step, string][] = [];
    let step: Step | undefined = this.root;
    for (const key of field.path.split('.')) {
      if (step === undefined) return;
      way.push([step, key]);
      step = step.next.get(key);
    }
    if (step !== undefined) step.field = undefined;
    for (const [parent, key] of way.reverse()) {
      const child = parent.next.get(key);
      if (child === undefined || child.field !== undefined || child.next.size > 0) return;
      parent.next.delete(key);
    }
  }

  /** Sets the values of the fields that the document has, and lists these fields in `run.walked`. */
  walk(document: JsonObject, run: MatchRun): void {
    walkObject(this.root, document, run);
    run.endWalk();
  }
}

/** Recursion is as deep as the longest field path: at most half its 512 characters. */
function walkObject(step: Step, object: JsonObject, run: MatchRun): void {
  for (const key of Object.keys(object)) {
    const next = key.includes('.') ? follow(step, key) : step.next.get(key);
    if (next === undefined) continue;
    const value: JsonValue | undefined = object[key];
    if (value === null || value === undefined) continue;
    if (next.field?.setValue(value, run.generation) === true) run.walked.push(next.field);
    if (next.next.size > 0 && isJsonObject(value)) walkObject(next, value, run);
  }
}

function follow(from: Step, key: string): Step | undefined {
  let step: Step | undefined = from;
  let start = 0;
  for (let dot = key.indexOf('.'); step !== undefined; dot = key.indexOf('.', start)) {
    step = step.next.get(dot < 0 ? key.slice(start) : key.slice(start, dot));
    if (dot < 0) return step;
    start = dot + 1;
  }
  return undefined;
}
