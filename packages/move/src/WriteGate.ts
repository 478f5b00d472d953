/** Writes that are held back. */
export interface HeldWrites {
  /** Resolves when the writes that had begun have ended. */
  readonly idle: Promise<void>;
  release(): void;
}

/** Lets writes pass, or holds them back for a moment. */
export class WriteGate {
  private running = 0;
  private opened: Promise<void> | undefined;
  private onIdle: (() => void) | undefined;

  /** Runs a write, at once or when writes are no longer held. */
  async pass<T>(write: () => Promise<T>): Promise<T> {
    while (this.opened !== undefined) await this.opened;
    this.running += 1;
    try {
      return await write();
    } finally {
      this.running -= 1;
      if (this.running === 0) this.onIdle?.();
    }
  }

  /** Holds back all writes that begin from now on. */
  hold(): HeldWrites {
    let open = (): void => undefined;
    this.opened = new Promise((resolve) => {
      open = resolve;
    });
    const idle = new Promise<void>((resolve) => {
      this.onIdle = resolve;
      if (this.running === 0) resolve();
    });
    const release = (): void => {
      this.opened = undefined;
      this.onIdle = undefined;
      open();
    };
    return { idle, release };
  }
}
