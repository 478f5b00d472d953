type Done = (() => void) | undefined;

/**
 * The broker's message bus, which carries nothing: requests are taken before it and notifications go to the clients'
 * sockets. The library's own one waits for the slowest client, and stops requests of all meanwhile.
 */
export class SilentEmitter {
  on(_topic: string, _listener: unknown, done?: Done): this {
    if (done !== undefined) setImmediate(done);
    return this;
  }

  /** Done at once: what the broker does after an unsubscription must not meet a new subscription to the same topic. */
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
