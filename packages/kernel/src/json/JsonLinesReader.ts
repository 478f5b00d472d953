/*
 * A body of JSON values, one per line (`application/x-ndjson`), parsed as it arrives. The result is an object with the
 * values as a list, `{"bulkData": [line, line, …]}`. Each line is parsed separately, so a long body never blocks the
 * event loop for more than one chunk, and an error names its line.
 */
import { isUtf8 } from 'node:buffer';
import { hasInfinity } from './hasInfinity.js';
import type { JsonListLimits, JsonListProblem } from './JsonListReader.js';
import type { JsonValue } from './Json.js';
import { MAX_DEPTH, NOT_UTF8, TOO_DEEP, TOO_LARGE_NUMBER, type JsonProblem } from './parseJson.js';
import { ITEM_BYTES, weighJson } from './weighJson.js';

const NEW_LINE = 0x0a;
const WHITESPACE: ReadonlySet<number | undefined> = new Set([0x09, 0x0a, 0x0d, 0x20]);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const BLANK: JsonProblem = { problem: 'it is empty', isLimit: false };

/** Reads JSON values from chunks of lines. Lines end with LF or CRLF; empty lines are allowed only at the end. */
export class JsonLinesReader {
  private readonly items: JsonValue[] = [];
  /** Chunks of the incomplete last line. */
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private lineNumber = 1;
  /** Number of the first of the trailing empty lines read so far; 0: the last line had a value. */
  private blankNumber = 0;

  /** @param list the member that holds the values */
  constructor(
    private readonly list: string,
    private readonly limits: JsonListLimits,
  ) {}

  /** The current line, for messages. */
  get place(): string {
    return `line ${this.blankNumber === 0 ? this.lineNumber : this.blankNumber}`;
  }

  /** Reads the next bytes. Must not be called again after a problem. */
  push(chunk: Buffer): JsonListProblem | undefined {
    let start = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, start)) {
      this.keep(chunk.subarray(start, end));
      const problem = this.takeLine();
      if (problem !== undefined) return problem;
      this.lineNumber++;
      start = end + 1;
    }
    this.keep(chunk.subarray(start));
    return this.pendingBytes > this.limits.maxItemBytes ? 'itemTooLarge' : undefined;
  }

  /** The object with the list; to be called after the last chunk. */
  end(): { readonly value: JsonValue } | JsonListProblem {
    return this.takeLine() ?? { value: { [this.list]: this.items } };
  }

  private keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
  }

  private takeLine(): JsonListProblem | undefined {
    const [first = EMPTY] = this.pending;
    let line = this.pending.length > 1 ? Buffer.concat(this.pending) : first;
    this.pending = [];
    this.pendingBytes = 0;
    if (line.length > this.limits.maxItemBytes) return 'itemTooLarge';
    // RFC 8259 section 8.1: a byte order mark may be ignored.
    const hasMark = this.lineNumber === 1 && line.subarray(0, 3).equals(BYTE_ORDER_MARK);
    if (hasMark) line = line.subarray(3);
    if (line.every((byte) => WHITESPACE.has(byte))) {
      this.blankNumber ||= this.lineNumber;
      return undefined;
    }
    const problem = this.blankNumber === 0 ? this.parse(line) : BLANK;
    if (problem === undefined || typeof problem === 'string') return problem;
    return { ...problem, problem: `${this.place}: ${problem.problem}` };
  }

  private parse(line: Buffer): JsonListProblem | undefined {
    if (!isUtf8(line)) return NOT_UTF8;
    const weight = weighJson(line, MAX_DEPTH, 0);
    if (weight < 0) return TOO_DEEP;
    if (!this.limits.take(weight + ITEM_BYTES)) return 'noMemory';
    try {
      const text = line.toString();
      const value = JSON.parse(text) as JsonValue;
      if (hasInfinity(text, value)) return TOO_LARGE_NUMBER;
      this.items.push(value);
    } catch (error) {
      return { problem: (error as Error).message, isLimit: false };
    }
    return this.items.length > this.limits.maxItems ? 'tooManyItems' : undefined;
  }
}

const EMPTY = Buffer.alloc(0);
