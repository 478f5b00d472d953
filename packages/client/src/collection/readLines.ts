/**
 * The JSON values of NDJSON; empty lines are skipped.
 * @throws SyntaxError naming the line
 */
export async function* readLines(source: string | Blob | ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  let number = 0;
  for await (const line of linesOf(source)) {
    number++;
    if (line.trim() === '') continue;
    try {
      yield JSON.parse(line);
    } catch (error) {
      throw new SyntaxError(`Line ${number}: ${(error as Error).message}`);
    }
  }
}

async function* linesOf(source: string | Blob | ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const text of textsOf(source, decoder)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest + decoder.decode();
}

async function* textsOf(
  source: string | Blob | ReadableStream<Uint8Array>,
  decoder: TextDecoder,
): AsyncGenerator<string> {
  if (typeof source === 'string') return void (yield source);
  // Not every browser can iterate over a stream.
  const reader = (source instanceof Blob ? source.stream() : source).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      yield decoder.decode(next.value, { stream: true });
  } finally {
    await reader.cancel();
  }
}
