/** A collection that is recorded. */
export interface Cover {
  /** The entry from which on all nodes record it; undefined: not known yet. */
  readonly since: string | undefined;
  /** UTC milliseconds; Infinity while this node has a subscription. */
  readonly untilMs: number;
}

const MAX_REFRESH_MS = 30_000;
const REFRESHES_PER_AGE = 4;
/** A node goes on recording for so many refreshes after the time that the nodes have agreed on: clocks may differ. */
const MARGIN = 4;

/** The recorded collections, by key. */
export class Covers {
  private readonly byKey = new Map<string, Cover>();
  /** Those with a subscription on this node, and those of the configuration. */
  readonly held = new Set<string>();

  /** Between two exchanges with Redis. */
  readonly refreshMs: number;

  constructor(private readonly maxAgeMs: number) {
    this.refreshMs = Math.min(MAX_REFRESH_MS, maxAgeMs / REFRESHES_PER_AGE);
  }

  get isEmpty(): boolean {
    return this.byKey.size === 0;
  }

  has(key: string): boolean {
    return this.byKey.has(key);
  }

  keys(): Iterable<string> {
    return this.byKey.keys();
  }

  sinceOf(key: string): string | undefined {
    return this.byKey.get(key)?.since;
  }

  /** Records from now on. @returns whether it was recorded already */
  add(key: string, nowMs: number): boolean {
    const known = this.byKey.get(key);
    if (known === undefined) this.byKey.set(key, { since: undefined, untilMs: nowMs + this.maxAgeMs });
    return known?.since !== undefined;
  } // prettier-ignore

  setSince(key: string, since: string, nowMs: number): void {
    const untilMs = Math.max(this.byKey.get(key)?.untilMs ?? 0, nowMs + this.maxAgeMs);
    this.byKey.set(key, { since, untilMs });
  }

  /** All positions belong to another log from now on, which is complete from its beginning. */
  restart(): void {
    for (const [key, cover] of this.byKey) this.byKey.set(key, { ...cover, since: '0-0' });
  }

  /** As Redis holds it. */
  encode(key: string, nowMs: number): string {
    const lingerMs = this.held.has(key) ? this.refreshMs : 0;
    return `${nowMs + this.maxAgeMs + lingerMs} ${this.sinceOf(key) ?? ''}`;
  }

  /** Takes what another node has stored. */
  decode(key: string, value: string): void {
    const [until = '', since = ''] = value.split(' ');
    const untilMs = Number(until);
    if (!Number.isFinite(untilMs) || !/^(\d+-\d+)?$/.test(since)) return;
    const known = this.byKey.get(key);
    const kept = known?.since ?? (since === '' ? undefined : since);
    this.byKey.set(key, { since: kept, untilMs: Math.max(known?.untilMs ?? 0, untilMs) });
  }

  /** Ends one. */
  delete(key: string): void {
    this.byKey.delete(key);
  }

  /** Ends those without subscriptions on any node. @returns their keys */
  expire(nowMs: number): readonly string[] {
    const ended: string[] = [];
    for (const [key, { untilMs }] of this.byKey) {
      if (!this.held.has(key) && untilMs + MARGIN * this.refreshMs < nowMs) ended.push(key);
    }
    for (const key of ended) this.byKey.delete(key);
    return ended;
  }
}
