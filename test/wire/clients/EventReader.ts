/** An event of a stream, as the format defines it. */
export interface StreamedEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Test support: a stream of events read with `fetch`. */
export class EventReader {
  readonly events: StreamedEvent[] = [];
  /** The last `retry`, in milliseconds. */
  retryMs: number | undefined;
  /** Of the last event that had one. */
  lastId = '';
  hasEnded = false;
  /** Resolves when the stream has ended or broken. */
  readonly ended: Promise<void>;
  private rest = '';
  private wake: () => void = () => undefined;

  constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {
    this.ended = this.read().then(
      () => undefined,
      () => undefined,
    );
  }

  static async open(url: string, init: RequestInit = {}): Promise<EventReader> {
    const abort = new AbortController();
    const headers = { Accept: 'text/event-stream', ...init.headers };
    return new EventReader(await fetch(url, { ...init, headers, signal: abort.signal }), abort);
  }

  /** The data of all events with a name; `message` for those without. */
  data(event: string): readonly Record<string, unknown>[] {
    return this.events
      .filter((each) => each.event === event)
      .map(({ data }) => JSON.parse(data) as Record<string, unknown>);
  }

  /** Resolves once there are so many events of a name. @throws if the stream ends before */
  async until(event: string, count = 1): Promise<readonly Record<string, unknown>[]> {
    for (;;) {
      const found = this.data(event);
      if (found.length >= count) return found;
      if (this.hasEnded) throw new Error(`the stream has ended with ${JSON.stringify(this.events)}`);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  close(): void {
    this.abort.abort();
  }

  private async read(): Promise<void> {
    try {
      const decoder = new TextDecoder();
      const reader = this.response.body?.getReader();
      for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
        this.rest += decoder.decode(part.value, { stream: true });
        const blocks = this.rest.split('\n\n');
        this.rest = blocks.pop() ?? '';
        for (const block of blocks) this.take(block);
        this.wake();
      }
    } finally {
      this.hasEnded = true;
      this.wake();
    }
  }

  private take(block: string): void {
    const fields: Record<string, string> = {};
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^(\w*): ?(.*)$/s.exec(line) ?? [];
      fields[name] = value;
    }
    const { event = 'message', id, data, retry } = fields;
    if (id !== undefined) this.lastId = id;
    if (retry !== undefined) this.retryMs = Number(retry);
    if (data !== undefined) this.events.push({ event, id: id ?? '', data });
  }
}
