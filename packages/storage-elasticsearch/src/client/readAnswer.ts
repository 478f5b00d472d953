import type { Readable } from 'node:stream';
import { errors } from '@elastic/elasticsearch';
import { EventLoopPacer, JsonListReader, type JsonListProblem } from '@millrace/kernel';
import { OVERSIZED, ElasticsearchFailure } from './ElasticsearchFailure.js';

/** A response of the client whose body has not been read. */
export interface StreamedAnswer {
  readonly statusCode: number | null;
  readonly headers: Readonly<Record<string, unknown>> | null;
  readonly body: unknown;
}

/** Longer answers are parsed as they arrive: JSON.parse of 64 MiB would block the event loop for half a second. */
const LONG_BYTES = 262_144;
const OPEN_OBJECT = 0x7b;
const NO_LIMITS = { maxItems: Infinity, maxItemBytes: Infinity, take: () => true };

/**
 * Reads the body of a response, and aborts as soon as it exceeds `maxBytes`. The client's own limit (`maxResponseSize`)
 * is unusable: if the response announces its length, the client destroys the body without an error listener, which ends
 * the process.
 * @throws ElasticsearchFailure (`isOversized`), ResponseError for a status of 400 or more, ConnectionError
 */
export async function readAnswer(answer: StreamedAnswer, maxBytes: number): Promise<unknown> {
  const body = answer.body as Readable;
  const statusCode = answer.statusCode ?? 0;
  const announced = Number(answer.headers?.['content-length'] ?? 0);
  if (announced > maxBytes) throw oversized(body);
  const reader = new AnswerReader(statusCode);
  await readAll(body, maxBytes, reader);
  const content = reader.end();
  if (statusCode < 400) return content;
  throw new errors.ResponseError({ ...answer, statusCode, body: content } as never);
}

/** Parses an answer while it arrives, if it is long. */
class AnswerReader {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private parts: JsonListReader | undefined;

  constructor(private readonly statusCode: number) {}

  take(chunk: Buffer): void {
    if (this.parts !== undefined) return push(this.parts, chunk);
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    const isObject = this.chunks[0]?.[0] === OPEN_OBJECT;
    if (this.bytes < LONG_BYTES || !isObject || this.statusCode >= 400) return;
    this.parts = new JsonListReader({ ...NO_LIMITS, isTrusted: true });
    for (const each of this.chunks) push(this.parts, each);
    this.chunks.length = 0;
  }

  end(): unknown {
    if (this.parts === undefined) return parse(Buffer.concat(this.chunks).toString(), this.statusCode);
    const outcome = this.parts.end();
    if (typeof outcome === 'object' && 'value' in outcome) return outcome.value;
    throw unreadable(outcome);
  }
}

function push(parts: JsonListReader, chunk: Buffer): void {
  const problem = parts.push(chunk);
  if (problem !== undefined) throw unreadable(problem);
}

function unreadable(problem: JsonListProblem): SyntaxError {
  return new SyntaxError(typeof problem === 'string' ? problem : problem.problem);
}

async function readAll(body: Readable, maxBytes: number, reader: AnswerReader): Promise<void> {
  let bytes = 0;
  const pacer = new EventLoopPacer(1);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) break;
      reader.take(chunk);
      if (pacer.isDue()) await pacer.rest();
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    throw new errors.ConnectionError(error instanceof Error ? error.message : String(error));
  }
  if (bytes > maxBytes) throw oversized(body);
}

function parse(text: string, statusCode: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // A proxy may respond with HTML.
    if (statusCode >= 400) return text;
    throw error;
  }
}

function oversized(body: Readable): ElasticsearchFailure {
  body.on('error', () => undefined);
  body.destroy();
  return new ElasticsearchFailure(0, OVERSIZED, 'the answer is too large', true);
}
