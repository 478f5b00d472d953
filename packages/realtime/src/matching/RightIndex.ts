/*
 * Finds the rights that cover a document. The queries of rights are live queries like those of subscriptions, so that
 * thousands of users, each with a separate right, cost no more than the few that a document concerns. Those that can't be
 * live queries (with `now`, or too costly) are judged one by one.
 */
import { MillraceError, type DocumentGrant, type DocumentRight } from '@millrace/kernel';
import { estimateQueryBytes } from '@millrace/query';
import { DocumentTest, type IndexedDocument } from '@millrace/search';
import type { CollectionQueries } from './CollectionQueries.js';

/** A right that rooms rest on. */
export interface HeldRight {
  readonly id: string;
  readonly right: DocumentRight;
  /** Estimated memory of its queries. */
  bytes: number;
  /** Rooms. */
  useCount: number;
}

interface HeldGrant {
  readonly held: HeldRight;
  readonly grant: DocumentGrant;
}

/** The grants of each right that cover a document. */
export type Coverage = ReadonlyMap<HeldRight, readonly DocumentGrant[]>;

/** The rights to the documents of one collection. */
export class RightIndex {
  private readonly rights = new Map<string, HeldRight>();
  /** By key of the live query. */
  private readonly live = new Map<string, HeldGrant>();
  /** By the same key: grants that are judged by themselves. */
  private readonly decided = new Map<string, HeldGrant>();

  constructor(private readonly queries: CollectionQueries) {}

  /** Adds a right, or one more use of it. */
  hold(id: string, right: DocumentRight): HeldRight {
    const known = this.rights.get(id);
    const held = known ?? { id, right, bytes: estimateQueryBytes(right), useCount: 0 };
    held.useCount += 1;
    if (known !== undefined) return held;
    this.rights.set(id, held);
    for (const [key, grant] of keysOf(held)) this.add(key, { held, grant });
    return held;
  }

  release(held: HeldRight): void {
    held.useCount -= 1;
    if (held.useCount > 0) return;
    this.rights.delete(held.id);
    for (const [key] of keysOf(held)) {
      if (this.live.delete(key)) this.queries.remove(key);
      this.decided.delete(key);
    }
  }

  /** The right of a live query. */
  ofQuery(key: string): HeldRight | undefined {
    return this.live.get(key)?.held;
  }

  /** A live query doesn't fit the changed mapping. @returns false if it isn't that of a right */
  refused(key: string): boolean {
    const grant = this.live.get(key);
    if (grant === undefined) return false;
    this.live.delete(key);
    this.decided.set(key, grant);
    return true;
  }

  /** @param matching keys of the live queries that match the document @param nowMs `now` of date math */
  covering(document: IndexedDocument, matching: Iterable<string>, nowMs: number): Coverage {
    const found = new Map<HeldRight, DocumentGrant[]>();
    const take = ({ held, grant }: HeldGrant) => {
      const grants = found.get(held);
      if (grants === undefined) found.set(held, [grant]);
      else grants.push(grant);
    };
    for (const key of matching) {
      const grant = this.live.get(key);
      if (grant !== undefined) take(grant);
    }
    for (const grant of this.decided.values()) if (this.covers(grant, document, nowMs)) take(grant);
    return found;
  }

  private add(key: string, held: HeldGrant): void {
    const { documents } = held.grant;
    try {
      if (documents === null) this.decided.set(key, held);
      else {
        held.held.bytes += this.queries.add(key, documents);
        this.live.set(key, held);
      }
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      this.decided.set(key, held);
    }
  }

  private covers({ grant }: HeldGrant, document: IndexedDocument, nowMs: number): boolean {
    const right = { key: '', grants: [grant] };
    const test = new DocumentTest(right, this.queries.compiledMapping, nowMs);
    return test.covering(document).length > 0;
  }
}

function keysOf({ id, right }: HeldRight): [string, DocumentGrant][] {
  return right.grants.map((grant, at) => [`right ${id} ${at}`, grant]);
}
