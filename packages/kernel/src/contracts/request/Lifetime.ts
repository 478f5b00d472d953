/**
 * Tracks whether the client of a connection is still connected, so that work for a disconnected client can be dropped.
 * Closed once, by the entrypoint; listeners then run once, in order of registration.
 */
export class Lifetime {
  private closed = false;
  private listeners: Set<() => void> | undefined;

  get isClosed(): boolean {
    return this.closed;
  }

  /**
   * Registers a listener for the end of the connection; if it is already closed, the listener runs at once.
   * @returns a function that removes the listener
   */
  onClosed(listener: () => void): () => void {
    if (this.closed) {
      listener();
      return () => undefined;
    }
    this.listeners ??= new Set();
    this.listeners.add(listener);
    return () => this.listeners?.delete(listener);
  }

  /** Marks the connection as closed. Further calls do nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    const { listeners } = this;
    this.listeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener();
  }
}
