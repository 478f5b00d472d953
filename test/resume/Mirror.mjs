/** The version that follows, by action; a document that exists isn't created. */
const NEXT = {
  create: () => undefined,
  update: (version) => version + 1,
  delete: (version) => version,
};
const MAX_HISTORY = 8;
const MAX_JOURNAL = 24;

/**
 * A copy of the documents of one subscription, folded from its notifications: versions by id. It counts what must not
 * happen: notifications that come twice, in the wrong order or that are left out.
 */
export class Mirror {
  versions = new Map();
  /** Where to resume from; undefined: the documents must be read. */
  cursor;
  counts = {
    connects: 0,
    live: 0,
    replayed: 0,
    redelivered: 0,
    unrecorded: 0,
    heartbeats: 0,
    resumes: 0,
    reloads: 0,
    misses: 0,
    gaps: {},
  };
  /** What the server did wrong, in words. */
  problems = [];
  /** Documents with a notification since they were read: from then on nothing may be left out. */
  #followed = new Set();
  /** Notifications that arrive while the documents are read. */
  #waiting;
  #readFrom = '';
  #isAnswered = false;
  /** Whether notifications may come before the answer, and don't count. */
  #mayReceive = false;
  /** The last events, by document, to explain a problem. */
  #history = new Map();
  /** What happened to the subscription, to explain a problem. */
  #journal = [];
  /** Number of replayed notifications; undefined outside a replay. */
  #replayed;
  /** Of the replay. */
  #effects = [];
  /** Changes without a position have come: a gap must come before others. */
  #awaitsGap = false;

  /**
   * @param {{name: string, filter: object, query: object, mode: 'events' | 'state' | 'auto', mayRepeat?: boolean,
   *   isCluster?: boolean}} asked `mayRepeat`: what the client has not acknowledged may come again, and counts as
   *   redelivered; `isCluster`: while Redis is away, changes have no position (LOG-12)
   */
  constructor({ name, filter, query, mode, mayRepeat = false, isCluster = false }) {
    Object.assign(this, { name, filter, query, mode, mayRepeat, isCluster });
  }

  get isAnswered() {
    return this.#isAnswered;
  }

  get isLive() {
    return this.cursor !== undefined && this.#replayed === undefined;
  }

  /**
   * The subscription is sent, on a new connection or, after a gap, on the same one: notifications on their way from
   * before are replayed. @returns the cursor to send with it
   */
  ask(isNew) {
    this.#log(isNew ? 'connected' : 'asks again');
    this.#isAnswered = false;
    this.#mayReceive = !isNew || this.cursor === undefined;
    return this.cursor;
  }

  /** The answer to the subscription. @returns false: read the documents, then call `loaded` */
  answered({ resumed, cursor, gap }) {
    this.#log(`answered ${resumed ? 'resumed' : (gap?.reason ?? 'new')} ${cursor ?? ''}`);
    this.counts.connects++;
    this.#isAnswered = true;
    this.#awaitsGap = false;
    if (!resumed) {
      this.reload(cursor, this.cursor === undefined ? undefined : (gap?.reason ?? 'unknown'));
      return false;
    }
    this.#replayed = 0;
    this.#effects = [];
    return true;
  }

  /** The copy is not valid any more. @param reason of the gap */
  reload(cursor, reason) {
    if (reason !== undefined) this.counts.gaps[reason] = (this.counts.gaps[reason] ?? 0) + 1;
    this.#log(`reads from ${cursor} ${reason ?? ''}`);
    this.counts.reloads++;
    this.#forget();
    this.#awaitsGap = false;
    this.#replayed = undefined;
    this.#waiting = [];
    this.#readFrom = cursor;
  }

  loaded(hits) {
    for (const { _id, _version } of hits) {
      this.versions.set(_id, _version);
      this.#note(_id, `read ${_version}`);
    }
    this.cursor = this.#readFrom;
    const late = this.#waiting;
    this.#waiting = undefined;
    this.#log(`has read, ${late.length} waited`);
    // Changes up to the position of the answer may be notified after it.
    for (const each of late) if (each.cursor > this.cursor) this.#fold(each);
  }

  /** A notification of a change. */
  change(message) {
    if (!this.#isAnswered) {
      if (!this.#mayReceive) this.#report('before the answer', message);
      return;
    }
    if (this.isCluster && message.cursor === undefined && message.replayed !== true) {
      this.counts.unrecorded++;
      this.#awaitsGap = true;
      if (this.#waiting === undefined) this.#apply(message);
      return;
    }
    // Unacknowledged notifications are replayed whenever a session continues.
    if (this.mayRepeat && message.replayed) this.#replayed ??= 0;
    const isReplay = this.#replayed !== undefined;
    if (isReplay) this.#replayed++;
    if (this.#waiting !== undefined) return void this.#waiting.push(message);
    if (message.cursor <= this.#readFrom) return;
    if (isReplay !== (message.replayed === true)) this.#report('live and replayed mixed', message);
    if (this.mayRepeat && isReplay && message.cursor <= this.cursor) return void this.counts.redelivered++;
    if (this.#awaitsGap) this.#report('no gap after changes without a position', message);
    this.counts[isReplay ? 'replayed' : 'live']++;
    // The effects of several changes count together (RESUME-12).
    if (isReplay && message.cursor === undefined) this.#effects.push(message);
    else this.#fold(message);
  }

  resumed({ cursor, count }) {
    const replayed = this.#replayed ?? 0;
    this.#log(`replayed ${replayed} to ${cursor}`);
    const isWhole = this.mayRepeat ? replayed >= count : replayed === count;
    if (!isWhole) this.#report(`${replayed} of ${count} replayed`);
    for (const each of this.#effects) this.#fold(each);
    if (cursor < this.cursor && !this.mayRepeat) this.#report(`resumed at ${cursor}, before ${this.cursor}`);
    this.#replayed = undefined;
    this.counts.resumes++;
    if (this.#waiting === undefined && !(cursor < this.cursor)) this.cursor = cursor;
  }

  /** A position up to which everything was sent, but what a gap stands for that the client is about to close. */
  heartbeat(cursor) {
    this.counts.heartbeats++;
    if (cursor === undefined || !this.#isAnswered || !this.isLive) return;
    if (cursor > this.cursor) this.cursor = cursor;
  }

  /** A heartbeat counted another number of notifications than were received (RESUME-24). */
  missed() {
    this.#log('missed');
    this.counts.misses++;
    this.#forget();
  }

  /** The connection is lost. */
  cut() {
    this.#log('cut');
    this.#replayed = undefined;
    if (this.#waiting !== undefined) this.#forget();
  }

  /** Documents that differ from those of a search. */
  differences(hits) {
    const found = new Map(hits.map(({ _id, _version }) => [_id, _version]));
    const ids = new Set([...found.keys(), ...this.versions.keys()]);
    return [...ids]
      .filter((id) => found.get(id) !== this.versions.get(id))
      .map(
        (id) =>
          `${id}: ${this.versions.get(id)} instead of ${found.get(id)}${this.#historyOf(id)}, after ${this.cursor} (${this.#journal.join('; ')})`,
      );
  }

  #fold(message) {
    const { action, scope, cursor, replayed, result } = message;
    const { _id: id, _version: version } = result;
    const [known, isFollowed] = [this.versions.get(id), this.#followed.has(id)];
    const isEffect = replayed === true && cursor === undefined;
    if (!isEffect && !(cursor > this.cursor)) this.#report('not after the last cursor', message);
    const isExpected = isEffect ? action !== 'create' : version === NEXT[action](known);
    const isWrong = known === undefined ? scope === 'out' : !isExpected;
    if (isFollowed && isWrong) this.#report(`the copy has version ${known}`, message);
    this.#followed.add(id);
    this.cursor = cursor ?? this.cursor;
    this.#apply(message);
  }

  #apply({ action, scope, cursor, replayed, result: { _id: id, _version: version } }) {
    this.#note(id, `${action} ${scope} ${version} ${cursor}${replayed ? ' replayed' : ''}`);
    if (scope === 'in') this.versions.set(id, version);
    else this.versions.delete(id);
  }

  #forget() {
    this.versions.clear();
    this.#followed.clear();
    this.cursor = undefined;
    this.#waiting = undefined;
  }

  #note(id, event) {
    const events = this.#history.get(id) ?? [];
    this.#history.set(id, [...events, event].slice(-MAX_HISTORY));
  }

  #historyOf(id) {
    return ` (${(this.#history.get(id) ?? []).join(', ')})`;
  }

  #report(problem, { action, scope, cursor, replayed, result } = {}) {
    const about = result
      ? `: ${replayed ? 'replayed ' : ''}${action} ${scope} ${result._id} ${result._version} at ${cursor}${this.#historyOf(result._id)}`
      : '';
    const before = this.#journal.join('; ');
    this.problems.push(`${this.name}: ${problem}${about}, after ${this.cursor} (${before})`);
  }

  #log(event) {
    const at = this.cursor === undefined ? '' : ` at ${this.cursor}`;
    this.#journal = [...this.#journal, `${event}${at}`].slice(-MAX_JOURNAL);
  }
}
