/** One line, its number from 1, its size, and the position after it. */
export interface Line {
  readonly text: string;
  readonly number: number;
  readonly end: number;
  readonly bytes: number;
}

/** A longer line can't be a document. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;
const NEW_LINE = 10;

/** The lines of a stream of bytes, without empty ones. @throws Error for a line that is too long */
export async function* readLines(stream: AsyncIterable<Buffer | string>): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let end = 0;
  let number = 0;
  for await (const chunk of stream) {
    const buffer = Buffer.from(chunk);
    let start = 0;
    for (;;) {
      const at = buffer.indexOf(NEW_LINE, start);
      const part = buffer.subarray(start, at === -1 ? undefined : at);
      parts.push(part);
      bytes += part.length;
      if (bytes > MAX_LINE_BYTES) throw new Error('A line is longer than 128 MiB');
      if (at === -1) break;
      end += bytes + 1;
      number++;
      if (bytes > 0) yield { text: Buffer.concat(parts).toString('utf8'), number, end, bytes };
      parts = [];
      bytes = 0;
      start = at + 1;
    }
  }
  if (bytes === 0) return;
  const text = Buffer.concat(parts).toString('utf8');
  yield { text, number: number + 1, end: end + bytes, bytes };
}
