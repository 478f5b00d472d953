/*
 * Changes of one document in the order of its versions (PROTO-85), although two nodes may put theirs into
 * the stream in the wrong order: the second writer can only begin once the first has committed, but may be quicker with
 * what follows.
 *
 * For documents that changed a moment ago the last version is known. A change whose predecessor is missing waits for it
 * a little (it may never come: silent writes are not sent); one that comes after its successor has been told can't be put
 * right any more, and the subscribers of its collection are told of a gap. A document not seen lately may have a
 * predecessor on its way as well: an update of it by another node waits for some milliseconds, which is longer than two
 * nodes are usually apart. Creations, the most frequent changes of new documents, never wait.
 */
import {
  CLOCK,
  NODE_LINK,
  toDocumentKey,
  type Clock,
  type DocumentChange,
  type NodeLink,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

/** For a predecessor that is known to be missing. */
const MISSING_WAIT_MS = 100;
/** For one that may be on its way. */
const UNKNOWN_WAIT_MS = 8;
const MAX_KNOWN = 20_000;
/** Documents that have changes waiting; beyond, order gives way. */
const MAX_HELD = 10_000;
/** Nodes are never further apart than this, unless one was frozen; later, versions say nothing. */
const KNOWN_FOR_MS = 5_000;

interface Known {
  readonly version: number;
  readonly isThere: boolean;
  readonly atMs: number;
}

interface Held {
  readonly change: DocumentChange;
  readonly deliver: () => void;
  readonly timer: NodeJS.Timeout;
}

/** Lets changes through in the order of versions. Without a cluster it lets everything through at once. */
@scoped(Scope.ContainerScoped)
export class ChangeOrder {
  private readonly known = new Map<string, Known>();
  private readonly held = new Map<string, Held[]>();
  private onGap: (change: DocumentChange) => void = () => undefined;

  constructor(
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Who is told that the order of a document's changes could not be kept. */
  tell(onGap: (change: DocumentChange) => void): void {
    this.onGap = onGap;
  }

  /** Calls `deliver` now or later. */
  pass(change: DocumentChange, deliver: () => void): void {
    if (!this.link.hasOthers()) return deliver();
    const key = toDocumentKey(change, change.id);
    const waiting = this.held.get(key);
    if (waiting === undefined) {
      const waitMs = this.waitOf(key, change);
      if (waitMs === 0 || this.held.size >= MAX_HELD) this.let(key, change, deliver);
      else this.hold(key, { change, deliver, waitMs });
      return;
    }
    if (this.waitOf(key, change) === 0) {
      this.let(key, change, deliver);
      this.release(key, false);
      return;
    }
    this.hold(key, { change, deliver, waitMs: MISSING_WAIT_MS });
  }

  /** 0: it may go. */
  private waitOf(key: string, change: DocumentChange): number {
    const { before } = change;
    const known = this.lately(key);
    if (known === undefined) return before === null ? 0 : UNKNOWN_WAIT_MS;
    if (before === null) return known.isThere ? MISSING_WAIT_MS : 0;
    return known.isThere && known.version >= predecessorOf(change) ? 0 : MISSING_WAIT_MS;
  }

  private lately(key: string): Known | undefined {
    const known = this.known.get(key);
    const isLate = known !== undefined && this.clock.monotonicMs() - known.atMs > KNOWN_FOR_MS;
    return isLate ? undefined : known;
  }

  private let(key: string, change: DocumentChange, deliver: () => void): void {
    const { version, before, after } = change;
    const known = this.lately(key);
    const isUpdate = known?.isThere === true && before !== null;
    if (isUpdate && known.version > predecessorOf(change)) return this.onGap(change);
    this.known.delete(key);
    this.known.set(key, { version, isThere: after !== null, atMs: this.clock.monotonicMs() });
    if (this.known.size > MAX_KNOWN) {
      for (const oldest of this.known.keys()) {
        this.known.delete(oldest);
        break;
      }
    }
    deliver();
  }

  private hold(
    key: string,
    { change, deliver, waitMs }: Omit<Held, 'timer'> & { readonly waitMs: number },
  ): void {
    const timer = setTimeout(() => this.release(key, true), waitMs).unref();
    const waiting = this.held.get(key) ?? [];
    waiting.push({ change, deliver, timer });
    waiting.sort((a, b) => a.change.version - b.change.version);
    this.held.set(key, waiting);
  }

  /** @param isOver the wait of one is over: all go, in order */
  private release(key: string, isOver: boolean): void {
    const waiting = this.held.get(key) ?? [];
    this.held.delete(key);
    for (const [at, { change, deliver, timer }] of waiting.entries()) {
      const waitMs = this.waitOf(key, change);
      if (!isOver && waitMs > 0) {
        this.held.set(key, waiting.slice(at));
        return;
      }
      clearTimeout(timer);
      this.let(key, change, deliver);
    }
  }
}

/** The version that must have been there before. */
function predecessorOf({ after, version }: DocumentChange): number {
  return after === null ? version : version - 1;
}
