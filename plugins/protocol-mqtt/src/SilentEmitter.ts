type Done = (() => void) | undefined;

/**
 * A message bus for the broker that carries nothing: requests are taken before it, and notifications are written to
 * the clients' sockets. The library's default bus waits for the slowest client and blocks the requests of all clients
 * meanwhile.
 */
export class SilentEmitter {
  on(_topic: string, _listener: unknown, done?: Done): this {
    if (done !== undefined) setImmediate(done);
    return this;
  }

  /**
   * Calls back synchronously: the broker's work after an unsubscription must not interfere with a new subscription to
   * the same topic.
   */
  removeListener(_topic: string, _listener: unknown, done?: Done): this {
    done?.();
    return this;
  }

  emit(_packet: unknown, done?: Done): this {
    if (done !== undefined) setImmediate(done);
    return this;
  }

  close(done?: Done): void {
    if (done !== undefined) setImmediate(done);
  }
}
