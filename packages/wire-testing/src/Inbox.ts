import type { ResponseMessage } from '@millrace/kernel';

/** A message as it arrives at a client, with the data that its protocol adds. */
export type Received<Envelope = unknown> = ResponseMessage & Envelope & { readonly [key: string]: unknown };

/** What a client has received, to look at and to wait for. */
export class Inbox<Envelope = unknown> {
  readonly received: Received<Envelope>[] = [];
  private readonly waiting = new Set<(message: Received<Envelope>) => void>();

  /** Takes a message that has arrived. */
  take(message: Received<Envelope>): void {
    this.received.push(message);
    this.waiting.forEach((look) => look(message));
  }

  /** The first message that fits; waits for it. */
  find(fits: (message: Received<Envelope>) => boolean): Promise<Received<Envelope>> {
    return new Promise((resolve) => {
      const known = this.received.find(fits);
      if (known !== undefined) {
        resolve(known);
        return;
      }
      const look = (message: Received<Envelope>) => {
        if (!fits(message)) return;
        this.waiting.delete(look);
        resolve(message);
      };
      this.waiting.add(look);
    });
  }

  /** All messages, once there are so many. */
  async atLeast(count: number): Promise<readonly Received<Envelope>[]> {
    if (this.received.length < count) await this.find(() => this.received.length >= count);
    return this.received;
  }

  /** Sends a request with a new id by `send` and returns its response. */
  ask(
    message: Readonly<Record<string, unknown>>,
    send: (request: Readonly<Record<string, unknown>>) => void,
  ): Promise<Received<Envelope>> {
    const requestId = `r${Math.random().toString(36).slice(2)}`;
    send({ controller: 'server', action: 'echo', requestId, ...message });
    const awaited = message['requestId'] ?? requestId;
    return this.find((answer) => answer.requestId === awaited);
  }
}
