/* Takes the messages of the log from the stream, and passes changes on to the subscribers of this node. */
import {
  malformedMessage,
  readCollectionKey,
  type ChangeReceiver,
  type CollectionName,
  type Cursor,
  type DocumentChange,
} from '@millrace/kernel';
import type { NodeMessage } from '../redis/wire.js';
import type { CoverSharing } from './CoverSharing.js';
import type { Holes } from './Holes.js';
import type { Intents } from './Intents.js';
import type { LogLink } from './LogLink.js';
import type { LogProgress } from './LogProgress.js';
import {
  CHANGE,
  COVERED,
  DONE,
  EPOCH,
  ERASED,
  GONE,
  INTENT,
  LOST,
  OVERTAKEN,
  readChangeBody,
  readIntentKey,
  readLostKeys,
  readRefKey,
  readScope,
  UNCOVERED,
  SILENT,
  UNRECORDED,
  WIPED,
} from './logMessages.js';

/** Where a message is in the stream. */
export interface Place {
  readonly entryId: string;
  readonly place: number;
  readonly from: string;
}

/** The position and the sender of a message. */
interface Origin {
  readonly cursor: Cursor;
  readonly from: string;
}

const DIED = 'a node died: what became of its last writes is unknown';

/** Dependencies of `LogIntake`. */
export interface LogIntakeParts {
  readonly link: LogLink;
  readonly intents: Intents;
  readonly progress: LogProgress;
  readonly covers: CoverSharing;
  readonly holes: Holes;
  /** The log has another epoch from here on. */
  readonly adopt: (epoch: string) => void;
}

/** Takes messages, each once, in their order. */
export class LogIntake {
  private receiver: ChangeReceiver | undefined;
  private sequence = 0;

  constructor(private readonly parts: LogIntakeParts) {}

  /** See `ChangeLog.passOn`. */
  passOn(receiver: ChangeReceiver): void {
    this.receiver = receiver;
  }

  /** Takes a message of the stream, each once, in its order. @throws if it is malformed */
  take({ topic, key, body, number }: NodeMessage, { entryId, place, from }: Place): void {
    const cursor = this.parts.progress.cursorAt(entryId, place);
    switch (topic) {
      case INTENT:
        return this.parts.intents.add({ ref: `${from}:${number}`, nodeId: from, documents: readIntentKey(key) });
      case DONE:
        return this.takeDone(key, from);
      case GONE:
        return this.takeGone(key, readLostKeys(body), { cursor, from });
      case CHANGE:
        return this.takeChange(key, body, { cursor, from });
      case WIPED:
        return this.takeWiped(key, body, cursor);
      case ERASED:
        return this.noteChange(key, cursor);
      case UNRECORDED:
        // Its node reports the loss as well.
        return this.noteChange(key, cursor);
      case LOST:
        this.noteChange(key, cursor);
        if (from === this.parts.link.nodeId) this.parts.holes.areBack(key, number);
        if (body !== OVERTAKEN) this.parts.intents.overtake(key);
        return this.receiver?.lost(readScope(key), body);
      case COVERED:
        return this.parts.covers.take(key, body, entryId);
      case UNCOVERED:
        this.parts.covers.takeUncovered(key);
        return this.parts.progress.forget(key);
      case EPOCH:
        if (key > this.parts.progress.epoch && /^[0-9a-z]{8}$/.test(key)) this.parts.adopt(key);
        return undefined;
      default:
        throw malformedMessage('a message of the change log');
    }
  }

  /**
   * Whether subscribers receive a gap in place of an unrecorded change of another node: so in recorded collections,
   * because the order of that change is unknown.
   */
  replaces({ topic, key }: NodeMessage): boolean {
    return topic === UNRECORDED && this.parts.covers.isRecorded(readCollectionKey(key));
  }

  /** Changes of any collection may be missing. */
  lost(message: string): void {
    this.receiver?.lost(null, message);
  }

  /** All messages of an entry have been taken. */
  taken(entryId: string): void {
    const { progress } = this.parts;
    progress.taken(entryId);
    this.receiver?.reached(progress.head());
  }

  private takeChange(key: string, body: string, { cursor, from }: Origin): void {
    const { ref, collection } = readRefKey(key);
    const { intents, link } = this.parts;
    const name = readCollectionKey(collection);
    this.noteChange(collection, cursor);
    const intent = intents.find(`${from}:${ref}`);
    if (intent !== undefined) intent.hasChanges = true;
    // This node was declared dead: later writes to the document may have been recorded before.
    else if (from === link.nodeId) link.send(LOST, collection, OVERTAKEN);
    // Later changes of this node were delivered: a gap follows.
    if (this.parts.holes.isIn(collection)) return;
    this.receiver?.changed(name, cursor, () => {
      const sequence = ++this.sequence;
      return toNotified(name, body, { cursor, sequence });
    });
  }

  private takeDone(key: string, from: string): void {
    const { intents, link } = this.parts;
    const intent = intents.find(`${from}:${key}`);
    if (intent === undefined) return;
    intents.close(intent.ref);
    if (!intent.hasChanges || from !== link.nodeId) return;
    for (const collection of intent.overtaken) link.send(LOST, collection, OVERTAKEN);
  }

  /** @param keys the collections that the sender knew of */
  private takeGone(nodeId: string, keys: readonly string[], { cursor, from }: Origin): void {
    const { intents, link } = this.parts;
    const open = intents.collectionsOf(nodeId);
    intents.closeAll(nodeId);
    for (const key of keys) this.noteChange(key, cursor);
    for (const key of open) {
      this.receiver?.lost(readScope(key), DIED);
      if (from === link.nodeId && !keys.includes(key)) link.send(LOST, key, DIED);
    }
  }

  private takeWiped(key: string, body: string, cursor: Cursor): void {
    const { collection } = readRefKey(key);
    const name = readCollectionKey(collection);
    this.noteChange(collection, cursor);
    if (body !== SILENT) this.receiver?.wiped(name);
  }

  /** @param key empty: of all collections */
  private noteChange(key: string, cursor: Cursor): void {
    if (key === '' || this.parts.covers.isRecorded(readCollectionKey(key))) this.parts.progress.note(key, cursor);
  }
}

/** The change as subscribers receive it; null if they don't. */
function toNotified(
  name: CollectionName,
  body: string,
  position: Pick<DocumentChange, 'cursor' | 'sequence'>,
): { readonly change: DocumentChange; readonly atMs: number } | null {
  const { id, before, after, origin, atMs } = readChangeBody(body);
  if (origin === null) return null;
  const version = after?.version ?? before?.version ?? 0;
  const documents = { before: before?.source ?? null, after: after?.source ?? null };
  const meta = { metaBefore: before?.meta ?? null, metaAfter: after?.meta ?? null };
  return { change: { ...name, id, version, ...documents, ...meta, origin, ...position }, atMs };
}
