/*
 * The writes that wait to be sent: a copy of what the store holds, with the bounds and the states of documents. Every tab
 * has this copy and adds writes; one tab at a time sends them (Sender.ts).
 */
import type { Session } from '../auth/Session.js';
import { createKey } from '../createKey.js';
import { userOf } from '../realtime/userOf.js';
import { Drafts, keyOf } from './Drafts.js';
import { OfflineError } from './OfflineError.js';
import type { DocumentAddress, OutboxEntry, OutboxWrite, WriteFailure } from './OutboxEntry.js';
import type { OutboxChange, OutboxStore, Written } from './OutboxStore.js';

/** A write as a page asks for it. */
export type RequestedWrite = Omit<OutboxWrite, 'key' | 'user' | 'addedAtMs' | 'bytes' | 'error'>;

const MAX_ENTRIES = 5_000;
const MAX_BYTES = 20_000_000;

/** The unsent writes of all users of this client, in the order of their positions. */
export class Outbox {
  /** What pages show of the writes. */
  readonly drafts = new Drafts(() => this.#ofUser());
  /** Called after each change. */
  onChange: () => void = () => undefined;
  #entries = new Map<number, OutboxEntry>();
  #user: string | null = null;
  #loading: Promise<void> | undefined;
  /** Changes that arrive while the store is read. */
  #early: OutboxChange[] | undefined;
  #adding: Promise<unknown> = Promise.resolve();
  #unwatchStore: (() => void) | undefined;
  #unwatchUser: (() => void) | undefined;

  constructor(
    private readonly store: OutboxStore,
    private readonly session: Session,
  ) {}

  /** Reads the store, unless that was done already. @throws what the store throws */
  ready(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** Reads the store again. */
  reload(): Promise<void> {
    this.#loading = undefined;
    return this.ready();
  }

  /**
   * Stores a write; in the order of the calls.
   * @throws OfflineError `offline.full`
   */
  add(write: RequestedWrite): Promise<void> {
    const added = this.#adding.then(() => this.#add(write));
    this.#adding = added.catch(() => undefined);
    return added;
  }

  /** The next write to send: the oldest of its document, which hasn't failed. */
  get next(): OutboxEntry | undefined {
    const seen = new Set<string>();
    return this.#ofUser().find((entry) => {
      const key = keyOf(entry);
      const isBehind = seen.has(key);
      seen.add(key);
      return !isBehind && entry.error === undefined;
    });
  }

  /**
   * A write was executed, or a conflict left nothing to write.
   * @param seen what the next write of the document is based on
   */
  async done(entry: OutboxEntry, written: Written, seen = written): Promise<void> {
    const { position, index, collection, id, action } = entry;
    const { version, source } = written;
    const document = { index, collection, id, version, source, isNew: action === 'create' };
    const put = this.#rebase(entry, seen);
    await this.#change({ put, removed: [position], written: document });
  }

  /** Another write is sent in place of one that met a conflict. */
  async replace(entry: OutboxEntry, write: Partial<OutboxWrite>, seen: Written): Promise<void> {
    const replaced = { ...entry, ...write, key: createKey() };
    await this.#change({ put: [replaced, ...this.#rebase(entry, seen)], removed: [] });
  }

  async fail(entry: OutboxEntry, error: WriteFailure): Promise<void> {
    await this.#change({ put: [{ ...entry, error }], removed: [] });
  }

  /** Sends the failed writes of a document again. */
  async retry(at: DocumentAddress): Promise<void> {
    // An answer to the former key would be the same failure.
    const put = this.#of(at).map(({ error: _, ...entry }) => ({ ...entry, key: createKey(), addedAtMs: Date.now() }));
    await this.#change({ put, removed: [] });
  }

  /** Removes the writes of a document, or all of the present user. */
  async discard(at?: DocumentAddress): Promise<void> {
    const removed = (at === undefined ? this.#ofUser() : this.#of(at)).map(({ position }) => position);
    await this.#change({ put: [], removed });
  }

  /** Number of writes of the present user. @throws what the store throws */
  async size(): Promise<number> {
    await this.ready();
    return this.#ofUser().length;
  }

  close(): void {
    this.#unwatchStore?.();
    this.#unwatchUser?.();
  }

  async #load(): Promise<void> {
    this.#unwatchStore ??= this.store.onChange?.((change) => this.#note(change));
    const early: OutboxChange[] = (this.#early = []);
    const [entries] = await Promise.all([this.store.load(), this.session.peek().then((token) => this.setUser(token))]);
    this.#early = undefined;
    this.#entries = new Map();
    for (const change of [{ put: entries, removed: [] }, ...early]) this.#apply(change);
    this.#changed();
  }

  /** The writes of the user of this token are shown and sent. */
  setUser(token: string | null): void {
    const user = userOf(token);
    if (user === this.#user) return;
    this.#user = user;
    this.drafts.forget();
    this.#changed();
  }

  async #add(write: RequestedWrite): Promise<void> {
    await this.ready();
    this.setUser(await this.session.peek());
    const isBehind = this.#of(write).length > 0;
    const { ifVersion, base, ...rest } = write;
    const content = JSON.stringify([rest.body, base]);
    const bytes = new TextEncoder().encode(content).length;
    const used = [...this.#entries.values()].reduce((sum, each) => sum + each.bytes, 0);
    if (this.#entries.size >= MAX_ENTRIES || used + bytes > MAX_BYTES) {
      throw new OfflineError('offline.full', 'The outbox is full');
    }
    const [body] = JSON.parse(content) as unknown[];
    const stored: OutboxWrite = {
      ...rest,
      ...(rest.body !== undefined && { body }),
      // Behind another write, its result is what this one is based on.
      ...(ifVersion !== undefined && !isBehind && { ifVersion, base }),
      key: createKey(),
      user: this.#user,
      addedAtMs: Date.now(),
      bytes,
    };
    const position = await this.store.add(stored);
    this.#note({ put: [{ ...stored, position }], removed: [] });
  }

  /**
   * The write behind another one is based on its result. Without a version, that is a result that the server doesn't
   * have: the version before it makes the next write a conflict as well.
   */
  #rebase(entry: OutboxEntry, { version, source }: Written): readonly OutboxEntry[] {
    const [, next] = this.#of(entry);
    const ifVersion = version ?? entry.ifVersion;
    const isChecked = entry.ifVersion !== undefined || entry.action === 'create';
    if (next === undefined || !isChecked || next.ifVersion !== undefined) return [];
    if (next.action === 'create' || ifVersion === undefined) return [];
    return [{ ...next, ifVersion, base: source }];
  }

  /** Stores a change of the sending tab or of the page. */
  async #change(change: OutboxChange): Promise<void> {
    await this.store.change(change);
    this.#note(change);
  }

  #note(change: OutboxChange): void {
    this.#early?.push(change);
    this.#apply(change);
    this.#changed();
  }

  #apply({ put, removed, written }: OutboxChange): void {
    for (const entry of put) this.#entries.set(entry.position, entry);
    for (const position of removed) this.#entries.delete(position);
    if (written !== undefined) this.drafts.written(written);
    // Not before: a server that renders pages must not renew the tokens of its visitors.
    if (put.length > 0) this.#unwatchUser ??= this.session.onTokenChange((token) => this.setUser(token));
  }

  #changed(): void {
    this.drafts.changed();
    this.onChange();
  }

  /** The writes of the present user, the oldest first. */
  #ofUser(): readonly OutboxEntry[] {
    const entries = [...this.#entries.values()].filter(({ user }) => user === this.#user);
    return entries.sort((a, b) => a.position - b.position);
  }

  #of({ index, collection, id }: DocumentAddress): readonly OutboxEntry[] {
    const isOf = (each: OutboxEntry) => each.id === id && each.collection === collection && each.index === index;
    return this.#ofUser().filter(isOf);
  }
}
