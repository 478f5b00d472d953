import { createKey } from '../createKey.js';
import type { ItemError } from '../errors/ErrorDetails.js';
import type { Send } from './Collection.js';
import type { WriteOptions } from './Write.js';

/** Documents to import: an iterable, or NDJSON as a string, a file or a stream of bytes. */
export type ImportSource<T> =
  | Iterable<T & { readonly _id?: string }>
  | AsyncIterable<T & { readonly _id?: string }>
  | string
  | Blob
  | ReadableStream<Uint8Array>;

/** Options of an import. `timeoutMs` is that of one batch. */
export interface ImportOptions extends WriteOptions {
  /** `replace` (default): documents with a known id are replaced. `create`: they are refused. */
  readonly mode?: 'replace' | 'create';
  /** Called after each batch with the number of documents so far. */
  readonly onProgress?: (count: number) => void;
}

/** The outcome of an import. */
export interface Imported {
  /** Number of documents that were written. */
  readonly written: number;
  /** Number of documents that were refused. */
  readonly failed: number;
  /** The first 1,000 of the refused ones. */
  readonly errors: readonly ItemError[];
}

/** The outcome of one batch as the server returns it. */
export interface BulkAnswer {
  readonly hits: readonly Record<string, { _id?: string; error?: { status: number; message: string } }>[];
}

type SendBatch = (lines: readonly object[], options: Parameters<Send>[1]) => Promise<BulkAnswer>;

const MAX_BATCH_DOCUMENTS = 500;
const MAX_BATCH_CHARACTERS = 262_144;
const MAX_ERRORS = 1_000;

/** Sends the documents of a source in batches. */
export async function importDocuments(
  send: SendBatch,
  source: ImportSource<unknown>,
  { mode = 'replace', onProgress, ...options }: ImportOptions = {},
): Promise<Imported> {
  const action = mode === 'create' ? 'create' : 'index';
  const errors: ItemError[] = [];
  let written = 0;
  let failed = 0;
  let lines: object[] = [];
  let size = 0;
  const flush = async () => {
    const { hits } = await send(lines, { ...options, isRepeatable: mode === 'replace' });
    for (const { [action]: { _id, error } = {} } of hits) {
      if (error === undefined) written++;
      else if (failed++ < MAX_ERRORS) errors.push({ status: error.status, reason: error.message, ...(_id && { _id }) });
    }
    lines = [];
    size = 0;
    onProgress?.(written + failed);
  };
  for await (const document of documentsOf(source)) {
    const { length } = JSON.stringify(document);
    if (lines.length >= 2 * MAX_BATCH_DOCUMENTS || (size > 0 && size + length > MAX_BATCH_CHARACTERS)) await flush();
    size += length;
    // With an id made here a document isn't written twice when a batch is sent again.
    lines.push({ [action]: document._id === undefined ? { _id: createKey() } : {} }, document);
  }
  if (lines.length > 0) await flush();
  return { written, failed, errors };
}

function documentsOf(source: ImportSource<unknown>): Iterable<{ _id?: string }> | AsyncIterable<{ _id?: string }> {
  const isText = typeof source === 'string' || source instanceof Blob || source instanceof ReadableStream;
  return (isText ? readLines(source) : source) as AsyncIterable<{ _id?: string }>;
}

/**
 * The JSON values of NDJSON; empty lines are skipped.
 * @throws SyntaxError naming the line
 */
async function* readLines(source: string | Blob | ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
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
