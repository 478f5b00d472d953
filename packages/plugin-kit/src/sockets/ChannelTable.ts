/*
 * Which connections are subscribed to which channel, and the order in which notifications reach them.
 *
 * 5,000 socket writes at once block the event loop for 70 ms, and ten megabytes of notifications at once (a bulk
 * import) overflow even a client that reads fast, since nothing is sent before the event loop turns. So one turn
 * delivers to at most 256 connections and 1 MiB each; the rest waits in one queue for all channels, since messages must
 * reach a connection in the order of sending. Adjacent notifications of one channel in the queue are sent together,
 * connection by connection: a corked socket takes ten at the cost of one.
 *
 * There is one queue, not one per connection, and its length is limited: beyond the limit, publishing delivers at once.
 *
 * A server sends faster than most clients read, so a publisher of 30 MB would have every client cut as slow that isn't
 * on the same machine. The queue therefore waits for a connection that is behind; all connections together can delay it
 * by a quarter of a second at once, and by a twentieth of the time after that.
 */
const DELIVERIES_PER_TURN = 256;
const BYTES_PER_TURN = 1_048_576;
const MAX_LINE_BYTES = 67_108_864;
const MAX_LINE_LENGTH = 10_000;
const PAUSE_MS = 5;
const MAX_PAUSE_MS = 250;
/** Of each millisecond that passes, as much may be a pause again. */
const PAUSE_SHARE = 0.05;

/** A message encoded for the wire, with its size in bytes. */
export interface SizedMessage {
  readonly length: number;
}

/** A connection that can subscribe to channels. */
export interface ChannelListener<M extends SizedMessage> {
  readonly id: string;
  /** So much waits for it that it is soon cut as slow. */
  readonly isBehind?: boolean;
  send(message: M): void;
}

interface Publication<M extends SizedMessage> {
  readonly channel: string;
  readonly members: Iterator<readonly [ChannelListener<M>, number]>;
  readonly messages: PublishedMessage<M>[];
  bytes: number;
  hasBegun: boolean;
}

interface PublishedMessage<M extends SizedMessage> {
  readonly message: M;
  readonly exceptId: string | undefined;
  readonly sequence: number;
}

interface Told<M extends SizedMessage> {
  readonly listener: ChannelListener<M>;
  readonly message: M;
}

/** Channels, their listeners, and the queue of pending deliveries. */
export class ChannelTable<M extends SizedMessage> {
  /** Listeners by channel, with the number of the last publication before they joined. */
  private readonly members = new Map<string, Map<ChannelListener<M>, number>>();
  private readonly channelsOf = new Map<ChannelListener<M>, Set<string>>();
  private line: (Publication<M> | Told<M>)[] = [];
  private lineBytes = 0;
  private sequence = 0;
  private deliveriesLeft = DELIVERIES_PER_TURN;
  private bytesLeft = BYTES_PER_TURN;
  private isTurnScheduled = false;
  private isWorking = false;
  /** Of the last turn. */
  private behind: ChannelListener<M> | undefined;
  private pauseLeftMs = MAX_PAUSE_MS;
  private pausedAtMs = 0;

  /** Subscribes the listener to the channel; earlier messages aren't replayed. */
  join(listener: ChannelListener<M>, channel: string): void {
    let members = this.members.get(channel);
    if (members === undefined) this.members.set(channel, (members = new Map<ChannelListener<M>, number>()));
    if (members.has(listener)) return;
    members.set(listener, this.sequence);
    const channels = this.channelsOf.get(listener);
    if (channels === undefined) this.channelsOf.set(listener, new Set([channel]));
    else channels.add(channel);
  }

  /** Unsubscribes the listener, which then receives nothing more of the channel, not even messages published before. */
  leave(listener: ChannelListener<M>, channel: string): void {
    const channels = this.channelsOf.get(listener);
    if (channels?.delete(channel) !== true) return;
    if (channels.size === 0) this.channelsOf.delete(listener);
    this.forget(listener, channel);
  }

  leaveAll(listener: ChannelListener<M>): void {
    const channels = this.channelsOf.get(listener);
    this.channelsOf.delete(listener);
    if (channels !== undefined) for (const channel of channels) this.forget(listener, channel);
  }

  hasListeners(channel: string): boolean {
    return this.members.has(channel);
  }

  /** Sends a message to all current listeners of the channel. */
  publish(channel: string, message: M, exceptId?: string): void {
    const members = this.members.get(channel);
    if (members === undefined) return;
    const published: PublishedMessage<M> = { message, exceptId, sequence: ++this.sequence };
    const last = this.line.at(-1);
    const canShare =
      last !== undefined &&
      'messages' in last &&
      !last.hasBegun &&
      last.channel === channel &&
      last.bytes + message.length <= BYTES_PER_TURN;
    this.lineBytes += message.length;
    if (canShare) {
      last.messages.push(published);
      last.bytes += message.length;
      return;
    }
    const publication: Publication<M> = {
      channel,
      members: members.entries(),
      messages: [published],
      bytes: message.length,
      hasBegun: false,
    };
    this.line.push(publication);
    if (this.line.length === 1 || this.isLineFull) this.work();
  }

  /** Sends a message to one listener, after everything published before. */
  notify(listener: ChannelListener<M>, message: M): void {
    if (this.line.length === 0) {
      listener.send(message);
      return;
    }
    this.lineBytes += message.length;
    this.line.push({ listener, message });
    if (this.isLineFull) this.work();
  }

  /** Delivers everything that waits, ignoring the limits per turn: before a stop. */
  flush(): void {
    this.work(true);
  }

  private get isLineFull(): boolean {
    return this.line.length > MAX_LINE_LENGTH || this.lineBytes > MAX_LINE_BYTES;
  }

  private forget(listener: ChannelListener<M>, channel: string): void {
    const members = this.members.get(channel);
    members?.delete(listener);
    if (members?.size === 0) this.members.delete(channel);
  }

  /** Delivers from the queue until the budget of this turn is used up; delivers everything if the queue is full. */
  private work(isUrgent = this.isLineFull): void {
    // Not reentrant: a message that a listener publishes while it receives one is in the queue already.
    if (this.isWorking) return;
    this.isWorking = true;
    let done = 0;
    for (const item of this.line) {
      const isDone = 'messages' in item ? this.deliver(item, isUrgent) : this.pass(item);
      if (!isDone) break;
      this.lineBytes -= 'messages' in item ? item.bytes : item.message.length;
      done++;
    }
    this.line = done === this.line.length ? [] : this.line.slice(done);
    this.isWorking = false;
    const isBudgetTouched = this.deliveriesLeft < DELIVERIES_PER_TURN || this.bytesLeft < BYTES_PER_TURN;
    if ((this.line.length > 0 || isBudgetTouched) && !this.isTurnScheduled) {
      this.isTurnScheduled = true;
      setImmediate(this.turn);
    }
  }

  private readonly turn = (): void => {
    if (this.line.length > 0 && this.mustPause()) {
      setTimeout(this.turn, PAUSE_MS);
      return;
    }
    this.isTurnScheduled = false;
    this.deliveriesLeft = DELIVERIES_PER_TURN;
    this.bytesLeft = BYTES_PER_TURN;
    this.behind = undefined;
    if (this.line.length > 0) this.work();
  };

  private mustPause(): boolean {
    if (this.behind?.isBehind !== true) return false;
    const nowMs = performance.now();
    const sinceMs = nowMs - this.pausedAtMs;
    this.pausedAtMs = nowMs;
    this.pauseLeftMs = Math.min(MAX_PAUSE_MS, this.pauseLeftMs + sinceMs * PAUSE_SHARE) - PAUSE_MS;
    return this.pauseLeftMs >= 0;
  }

  private pass({ listener, message }: Told<M>): boolean {
    listener.send(message);
    return true;
  }

  /** @returns false if the budget was used up before all listeners were served */
  private deliver(publication: Publication<M>, isUrgent: boolean): boolean {
    if (!publication.hasBegun) {
      if (!isUrgent && this.bytesLeft <= 0) return false;
      publication.hasBegun = true;
      this.bytesLeft -= publication.bytes;
    }
    while (isUrgent || this.deliveriesLeft > 0) {
      // A live iterator: it skips listeners that leave; those that join come last, with too high a number.
      const next = publication.members.next();
      if (next.done === true) return true;
      const [listener, joinedAfter] = next.value;
      this.deliveriesLeft--;
      for (const { message, exceptId, sequence } of publication.messages) {
        if (sequence > joinedAfter && listener.id !== exceptId) listener.send(message);
      }
      if (listener.isBehind === true) this.behind = listener;
    }
    return false;
  }
}
