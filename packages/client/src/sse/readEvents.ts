/** An event of a stream. */
export interface StreamEvent {
  /** `message` if it has no name. */
  readonly name: string;
  /** JSON; absent in an event that only sets `retryMs`. */
  readonly data?: string;
  /** How long to wait before the stream is opened again. */
  readonly retryMs?: number;
}

/** Reads the events of a stream of the server, which ends lines with LF and writes a field at most once (SSE-4). */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield toEvent(block);
  }
}

function toEvent(block: string): StreamEvent {
  const lines = block.split('\n').map((line) => line.split(/: ?(.*)/s));
  const { event: name = 'message', data, retry } = Object.fromEntries(lines) as Record<string, string | undefined>;
  return {
    name,
    ...(data !== undefined && { data }),
    ...(retry !== undefined && { retryMs: Number(retry) }),
  };
}
