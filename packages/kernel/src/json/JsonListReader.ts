/*
 * A large JSON object that is mostly lists, parsed as it arrives: `{"bulkData": [line, line, …], …}`. JSON.parse of 64
 * MiB would block the event loop for seconds, and hold the text in memory in addition to its values. So the lists of
 * the outermost object are cut at commas between their items: the bytes up to the last comma received are parsed as a
 * small list. The rest of the object, with a number instead of each list's items, is parsed at the end. One pass over
 * the bytes finds commas and brackets, depth and weight.
 *
 * The result is that of JSON.parse, which checks every piece. Only the commas at which lists were cut are checked here:
 * no piece may be blank.
 */
import { isUtf8 } from 'node:buffer';
import { hasInfinity } from './hasInfinity.js';
import { isJsonObject, type JsonValue } from './Json.js';
import { MAX_DEPTH, NOT_UTF8, TOO_DEEP, TOO_LARGE_NUMBER, type JsonProblem } from './parseJson.js';
import { ARRAY_BYTES, ITEM_BYTES, OBJECT_BYTES } from './weighJson.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Depth between the items of a list of the outermost object. */
const OUTERMOST_LIST = 2;
// Each parse has a fixed cost, so small chunks are collected.
const MIN_PIECE_BYTES = 16_384;

/** Limits for a large object. */
export interface JsonListLimits {
  /** Maximum number of items in all its lists together. */
  readonly maxItems: number;
  /** Maximum bytes of one item, and of everything outside lists. */
  readonly maxItemBytes: number;
  /** Requests memory, in bytes, before more is parsed. @returns false if there is none */
  readonly take: (bytes: number) => boolean;
  /**
   * It comes from a store, not from a client: depth and numbers are not limited, and lists of objects within objects
   * are cut as well, and objects that are named `buckets`, as the keyed results of Elasticsearch.
   */
  readonly isTrusted?: true;
}

/** Why reading an object ended early. */
export type JsonListProblem = JsonProblem | 'tooManyItems' | 'itemTooLarge' | 'noMemory';

/** Reads one JSON object from chunks. */
export class JsonListReader {
  private depth = 0;
  private isInString = false;
  /** The next byte belongs to an escape that began in the last chunk. */
  private isEscaped = false;
  private weight = 0;
  private hasBegun = false;
  /** Text outside of lists. */
  private readonly outside: Buffer[] = [];
  private outsideBytes = 0;
  /** The items of each list, by the number that replaces it outside. */
  private readonly lists: (JsonValue[] | Record<string, JsonValue>)[] = [];
  private itemCount = 0;
  /** The list being read. */
  private list: JsonValue[] | Record<string, JsonValue> | undefined;
  /** Of that list. */
  private listItemCount = 0;
  /** Depth between its items. */
  private listDepth = OUTERMOST_LIST;
  /** Bytes of that list that aren't parsed yet. */
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  /** Position of the last comma between items in `pending`; -1: there is none. */
  private lastCut = -1;

  /** The current position, for messages: unknown within an object. */
  readonly place: string = '';

  constructor(private readonly limits: JsonListLimits) {}

  /** Reads the next bytes. Must not be called again after a problem. */
  push(chunk: Buffer): JsonListProblem | undefined {
    let bytes = chunk;
    if (!this.hasBegun && bytes.length > 0) {
      this.hasBegun = true;
      // RFC 8259 section 8.1: a byte order mark may be ignored.
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3);
    }
    this.weight = bytes.length;
    const problem = this.scan(bytes);
    if (problem !== undefined) return problem;
    if (!this.limits.take(this.weight)) return 'noMemory';
    const { maxItemBytes } = this.limits;
    if (this.outsideBytes > maxItemBytes) return 'itemTooLarge';
    if (this.pendingBytes < MIN_PIECE_BYTES) return undefined;
    const refused = this.lastCut < 0 ? undefined : this.parsePending();
    return refused ?? (this.pendingBytes > maxItemBytes ? 'itemTooLarge' : undefined);
  }

  /** The whole value; to be called after the last chunk. */
  end(): { readonly value: JsonValue } | JsonListProblem {
    if (this.list !== undefined) return { problem: 'it ends within a list', isLimit: false };
    const parsed = this.parse(this.outside);
    if (!('value' in parsed) || !isJsonObject(parsed.value)) return parsed;
    if (this.limits.isTrusted === true) {
      this.insertLists(parsed.value);
      return parsed;
    }
    const entries = Object.entries(parsed.value).map(([name, value]): [string, JsonValue] =>
      Array.isArray(value) ? [name, this.lists[value[0] as number] ?? []] : [name, value],
    );
    return { value: Object.fromEntries(entries) };
  }

  private scan(bytes: Buffer): JsonListProblem | undefined {
    let start = 0;
    let at = this.isInString ? this.skipString(bytes, this.isEscaped ? 1 : 0) : -1;
    while (++at < bytes.length) {
      switch (bytes[at]) {
        case QUOTE:
          at = this.skipString(bytes, at + 1);
          break;
        case COMMA:
          this.weight += ITEM_BYTES;
          if (this.depth === this.listDepth && this.list !== undefined) {
            this.lastCut = this.pendingBytes + at - start;
          }
          break;
        case OPEN_ARRAY:
          this.weight += ARRAY_BYTES;
          if (++this.depth > MAX_DEPTH && this.limits.isTrusted !== true) return TOO_DEEP;
          if (this.isListToCut) {
            this.openList(bytes.subarray(start, at), []);
            start = at + 1;
          }
          break;
        case OPEN_OBJECT:
          this.weight += OBJECT_BYTES;
          if (++this.depth > MAX_DEPTH && this.limits.isTrusted !== true) return TOO_DEEP;
          if (this.list === undefined && this.isKeyed(bytes, at)) {
            this.openList(bytes.subarray(start, at), {});
            start = at + 1;
          }
          break;
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          if (this.depth === this.listDepth && this.list !== undefined) {
            const isList = Array.isArray(this.list);
            const problem = this.closeList(bytes.subarray(start, at));
            if (problem !== undefined) return problem;
            start = at + 1;
            // A wrong bracket remains one: the rest of the object is checked at the end.
            const isOwn = isList === (bytes[at] === CLOSE_ARRAY);
            this.keep(isOwn ? BRACKETS[1] : BRACES[1]);
          }
          this.depth--;
          break;
        default:
      }
    }
    this.keep(bytes.subarray(start));
    return undefined;
  }

  /** Whether a list that begins here is cut into pieces. */
  private get isListToCut(): boolean {
    if (this.depth === OUTERMOST_LIST) return true;
    return this.limits.isTrusted === true && this.list === undefined && this.depth > OUTERMOST_LIST;
  }

  /** Whether the object that begins here is cut into pieces. The name is not found if it arrived in another chunk. */
  private isKeyed(bytes: Buffer, at: number): boolean {
    if (this.limits.isTrusted !== true || this.depth <= OUTERMOST_LIST) return false;
    return at >= KEYED.length && KEYED.compare(bytes, at - KEYED.length, at) === 0;
  }

  /** Puts the lists in place of their numbers. */
  private insertLists(object: Record<string, JsonValue>): void {
    for (const [name, value] of Object.entries(object)) {
      if (Array.isArray(value)) object[name] = this.lists[value[0] as number] ?? [];
      else if (isJsonObject(value)) this.insertLists(value);
    }
  }

  private parse(parts: readonly Buffer[]): { readonly value: JsonValue } | JsonProblem {
    return parsePiece(parts, this.limits.isTrusted === true);
  }

  /** @returns the position of the closing quote, or the end of the chunk */
  private skipString(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    this.isInString = at >= bytes.length;
    this.isEscaped = at > bytes.length;
    return at;
  }

  private keep(bytes: Buffer): void {
    if (this.list === undefined) {
      this.outside.push(bytes);
      this.outsideBytes += bytes.length;
    } else {
      this.pending.push(bytes);
      this.pendingBytes += bytes.length;
    }
  }

  private openList(before: Buffer, list: JsonValue[] | Record<string, JsonValue>): void {
    this.keep(before);
    this.keep(Buffer.from(`[${this.lists.length}`));
    this.list = list;
    this.listItemCount = 0;
    this.listDepth = this.depth;
    this.lists.push(list);
  }

  private closeList(last: Buffer): JsonListProblem | undefined {
    const { list } = this;
    if (list === undefined) return undefined;
    this.keep(last);
    const before = this.listItemCount;
    this.lastCut = -1;
    const problem = this.parsePending();
    const isBlank = this.listItemCount === before;
    this.list = undefined;
    if (problem === undefined && isBlank && before > 0) return BLANK_ITEM;
    return problem;
  }

  /** Parses the items up to the last cut, or all of them if there is none. */
  private parsePending(): JsonListProblem | undefined {
    const { list, lastCut } = this;
    if (list === undefined) return undefined;
    const bytes = Buffer.concat(this.pending);
    const end = lastCut < 0 ? bytes.length : lastCut;
    const [opening, closing] = Array.isArray(list) ? BRACKETS : BRACES;
    const parsed = this.parse([opening, bytes.subarray(0, end), closing]);
    if (!('value' in parsed)) return parsed;
    const count = append(list, parsed.value);
    if (count === 0 && lastCut >= 0) return BLANK_ITEM;
    this.listItemCount += count;
    this.itemCount += count;
    const rest = lastCut < 0 ? [] : [bytes.subarray(end + 1)];
    this.pending = rest;
    this.pendingBytes = rest[0]?.length ?? 0;
    this.lastCut = -1;
    return this.itemCount > this.limits.maxItems ? 'tooManyItems' : undefined;
  }
}

const BRACKETS = [Buffer.from('['), Buffer.from(']')] as const;
const BRACES = [Buffer.from('{'), Buffer.from('}')] as const;
const KEYED = Buffer.from('"buckets":');
const BLANK_ITEM: JsonProblem = {
  problem: 'a list has nothing between two commas',
  isLimit: false,
};

/** @returns the number of items or members */
function append(list: JsonValue[] | Record<string, JsonValue>, more: JsonValue): number {
  if (Array.isArray(list)) {
    const items = more as readonly JsonValue[];
    for (const item of items) list.push(item);
    return items.length;
  }
  const members = Object.entries(more as Record<string, JsonValue>);
  for (const [name, value] of members) {
    // As `JSON.parse`: an assignment to `__proto__` adds no member.
    if (name !== '__proto__') list[name] = value;
    else Object.defineProperty(list, name, { value, ...PLAIN_MEMBER });
  }
  return members.length;
}

const PLAIN_MEMBER = { configurable: true, enumerable: true, writable: true };

function parsePiece(parts: readonly Buffer[], isTrusted: boolean): { readonly value: JsonValue } | JsonProblem {
  const bytes = Buffer.concat(parts);
  if (!isTrusted && !isUtf8(bytes)) return NOT_UTF8;
  try {
    const text = bytes.toString();
    const value = JSON.parse(text) as JsonValue;
    return !isTrusted && hasInfinity(text, value) ? TOO_LARGE_NUMBER : { value };
  } catch (error) {
    return { problem: (error as Error).message, isLimit: false };
  }
}
