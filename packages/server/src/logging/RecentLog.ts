import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { JsonObject, JsonValue } from '@millrace/kernel';
import { LEVELS } from './toTextLine.js';

/** Bytes of each of the two parts. */
const PART_BYTES = 131_072;

/** Fields that are the same on each line, and the token of the first administrator, for readers of the machine alone. */
const LEFT_OUT: ReadonlySet<string> = new Set(['pid', 'hostname', 'setupToken']);

/** As `server.getLogs` returns it. */
export interface LogPage extends JsonObject {
  /** Of the last line that was looked at: the next request names it. */
  readonly position: string;
  /** Whether no line is missing between the position of the request and `hits`. */
  readonly continued: boolean;
  readonly host: string;
  readonly pid: number;
  /** The oldest first. */
  readonly hits: readonly LogLine[];
}

interface LogLine extends JsonObject {
  /** UTC milliseconds. */
  readonly time: number;
  readonly level: string;
  readonly message: string;
  readonly fields: JsonObject;
}

/** What to read of the log. */
export interface LogRequest {
  /** A position of a page; without one, or with one of another process, the newest lines are read. */
  readonly after?: string | undefined;
  readonly level: string;
  readonly size: number;
}

/** Lines of JSON, one after the other. */
interface Part {
  readonly bytes: Buffer;
  used: number;
}

/**
 * The newest lines of the log, as they were written, in two parts of 128 KiB: once one is full, the older one is
 * written over. A line costs the copy of its characters, and no object.
 */
export class RecentLog {
  private readonly id = randomBytes(6).toString('hex');
  private older: Part | undefined;
  private newer: Part | undefined;
  /** Lines since the start. */
  private count = 0;

  /** @param line of JSON, with its line feed */
  add(line: string): void {
    const length = Buffer.byteLength(line);
    // No logger writes one this long.
    if (length > PART_BYTES) return;
    const part = this.partFor(length);
    part.used += part.bytes.write(line, part.used);
    this.count += 1;
  }

  read({ after, level, size }: LogRequest): LogPage {
    const lines = this.lines();
    const oldest = this.count - lines.length;
    const asked = this.placeOf(after);
    const from = asked === undefined ? oldest : Math.max(oldest, asked);
    const lowest = numberOf(level);
    const all = lines.slice(from - oldest).map((text, at) => ({ place: from + at + 1, line: parse(text) }));
    const found = all.filter(({ line }) => line.level >= lowest);
    const taken = asked === undefined ? found.slice(-size) : found.slice(0, size);
    const isMore = asked !== undefined && found.length > taken.length;
    const place = isMore ? (taken.at(-1)?.place ?? from) : this.count;
    return {
      position: `${this.id}.${place}`,
      continued: asked !== undefined && asked >= oldest,
      host: hostname(),
      pid: process.pid,
      hits: taken.map(({ line }) => toHit(line)),
    };
  }

  private partFor(length: number): Part {
    if (this.newer !== undefined && this.newer.used + length <= PART_BYTES) return this.newer;
    const bytes = this.older?.bytes ?? Buffer.allocUnsafeSlow(PART_BYTES);
    this.older = this.newer;
    return (this.newer = { bytes, used: 0 });
  }

  private lines(): readonly string[] {
    return [this.older, this.newer].flatMap((part) =>
      part === undefined ? [] : part.bytes.toString('utf8', 0, part.used).split('\n').slice(0, -1),
    );
  }

  /** @returns the number of lines up to a position; undefined: it is of another process */
  private placeOf(position = ''): number | undefined {
    const [id, place] = position.split('.');
    const known = Number(place);
    return id === this.id && known <= this.count ? known : undefined;
  }
}

interface ParsedLine {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
  readonly [field: string]: JsonValue;
}

/** How each line begins. */
const HEAD = /^\{"level":(\d+),"time":(\d+)/;

/** A plugin may have logged fields with the names of the level and the time, which are later in the line. */
function parse(text: string): ParsedLine {
  const [, level, time] = HEAD.exec(text) ?? [];
  return { ...(JSON.parse(text) as ParsedLine), level: Number(level), time: Number(time) };
}

function toHit({ level, time, msg, ...others }: ParsedLine): LogLine {
  const fields = Object.fromEntries(Object.entries(others).filter(([name]) => !LEFT_OUT.has(name)));
  return { time, level: LEVELS[level] ?? String(level), message: msg, fields };
}

function numberOf(level: string): number {
  return Number(Object.entries(LEVELS).find(([, name]) => name === level)?.[0]);
}
