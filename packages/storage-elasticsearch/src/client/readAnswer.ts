import type { Readable } from 'node:stream';
import { errors } from '@elastic/elasticsearch';
import { OVERSIZED, ElasticsearchFailure } from './ElasticsearchFailure.js';

/** A response of the client whose body has not been read. */
export interface StreamedAnswer {
  readonly statusCode: number | null;
  readonly headers: Readonly<Record<string, unknown>> | null;
  readonly body: unknown;
}

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
  const text = await readText(body, maxBytes);
  const content = parse(text, statusCode);
  if (statusCode < 400) return content;
  throw new errors.ResponseError({ ...answer, statusCode, body: content } as never);
}

async function readText(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new errors.ConnectionError(error instanceof Error ? error.message : String(error));
  }
  if (bytes > maxBytes) throw oversized(body);
  return Buffer.concat(chunks).toString();
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
