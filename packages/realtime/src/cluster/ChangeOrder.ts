/*
 * Delivers the changes of a document in the order of its versions (PROTO-85), although two nodes may append theirs to
 * the stream in the wrong order: the second writer can only start after the first has committed, but its message may
 * overtake.
 *
 * For recently changed documents the last version is known. A change whose predecessor is missing waits for it
 * briefly (it may never arrive, because silent writes aren't sent). A change that arrives after its successor was
 * delivered can't be reordered any more, and the subscribers of its collection receive a gap notification. A document
 * that hasn't changed recently may also have a predecessor in transit, so another node's update of it waits for some
 * milliseconds, longer than the usual difference between two nodes. Creations, the most frequent changes of new
 * documents, never wait.
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

/** Wait for a predecessor known to be missing, in milliseconds. */
const MISSING_WAIT_MS = 100;
/** Wait for a predecessor that may be in transit, in milliseconds. */
const UNKNOWN_WAIT_MS = 8;
const MAX_KNOWN = 20_000;
/** Maximum of documents with waiting changes; beyond it changes are delivered without ordering. */
const MAX_HELD = 10_000;
/** Nodes never lag further behind than this unless one was frozen; older versions carry no information. */
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

/** Passes changes on in the order of versions. Without a cluster all pass at once. */
@scoped(Scope.ContainerScoped)
export class ChangeOrder {
  private readonly known = new Map<string, Known>();
  private readonly held = new Map<string, Held[]>();
  private onGap: (change: DocumentChange) => void = () => undefined;

  constructor(
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Sets the callback for changes whose order could not be kept. */
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

  /** How long the change has to wait, in milliseconds; 0: it may pass. */
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

  /** @param isOver the wait of one change has expired: all pass, in order */
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

/** The version that must have preceded this change. */
function predecessorOf({ after, version }: DocumentChange): number {
  return after === null ? version : version - 1;
}
