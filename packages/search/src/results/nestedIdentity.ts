import type { JsonObject } from '@millrace/language';
import { NestedIndex } from '../index/NestedIndex.js';
import { objectsAt } from '../sourceValues.js';

/** The position of a nested object in its document, in Elasticsearch's format. */
export interface NestedIdentity {
  /** Relative to the enclosing object. */
  readonly field: string;
  readonly offset: number;
  readonly _nested?: NestedIdentity;
}

/** The position of the object of a slot. */
export function nestedIdentity(index: NestedIndex, slot: number): NestedIdentity {
  let at = index;
  let current = slot;
  let identity: NestedIdentity | undefined;
  for (;;) {
    const { parent } = at;
    const around = at.parentOf(current);
    const prefix = parent.nestedPath === undefined ? '' : `${parent.nestedPath}.`;
    identity = {
      field: at.nestedPath.slice(prefix.length),
      offset: current - at.childrenOf(around)[0],
      ...(identity === undefined ? {} : { _nested: identity }),
    };
    if (!(parent instanceof NestedIndex)) return identity;
    at = parent;
    current = around;
  }
}

/** The object at a position of a document. */
export function objectOf(source: JsonObject, identity: NestedIdentity): JsonObject {
  let found = source;
  for (let at: NestedIdentity | undefined = identity; at !== undefined; at = at._nested) {
    found = objectsAt(found, at.field)[at.offset] ?? {};
  }
  return found;
}
