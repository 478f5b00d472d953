/*
 * Positions in the log as cursors: the epoch, then the id of the entry in the stream (milliseconds and a number) and the
 * place of the message in the entry, in base 36 with fixed widths, so that cursors sort as strings.
 */
import type { Cursor } from '@millrace/kernel';

/** A place in the stream. */
export interface Position {
  /** Of the entry: `<milliseconds>-<number>`. */
  readonly entryId: string;
  /** Of the message in its entry, from 0. */
  readonly place: number;
}

const MS_DIGITS = 9;
const NUMBER_DIGITS = 4;
const PLACE_DIGITS = 3;
const BASE = 36;
/** After all messages of an entry. */
export const END_OF_ENTRY = BASE ** PLACE_DIGITS - 1;
const MAX_NUMBER = BASE ** NUMBER_DIGITS - 1;
const FORM = /^([0-9a-z]{8})\.([0-9a-z]{9})([0-9a-z]{4})([0-9a-z]{3})$/;
/** Of all change logs: positions of other ones are shorter. */
const OTHER_FORM = /^([0-9a-z]{8})\.[0-9a-z]{11,16}$/;

/** A cursor of at most 32 characters. */
export function toCursor(epoch: string, entryId: string, place: number): Cursor {
  const [ms = 0, number = 0] = entryId.split('-').map(Number);
  const parts = [
    encode(ms, MS_DIGITS),
    encode(Math.min(number, MAX_NUMBER), NUMBER_DIGITS),
    encode(Math.min(place, END_OF_ENTRY), PLACE_DIGITS),
  ];
  return `${epoch}.${parts.join('')}`;
}

/** @returns undefined if `cursor` is no cursor of this log */
export function parseCursor(cursor: string): (Position & { readonly epoch: string }) | undefined {
  const [, epoch = '', ms = '', number = '', place = ''] = FORM.exec(cursor) ?? [];
  if (epoch === '') return undefined;
  const entryId = `${Number.parseInt(ms, BASE)}-${Number.parseInt(number, BASE)}`;
  return { epoch, entryId, place: Number.parseInt(place, BASE) };
}

/** Later epochs sort after earlier ones. */
export function newEpoch(nowMs: number): string {
  const seconds = encode(Math.floor(nowMs / 1_000), 6);
  return seconds + encode(Math.floor(Math.random() * BASE ** 2), 2);
}

/** Whether another change log than the one with `epoch` has made a cursor. */
export function isOfOtherLog(cursor: string, epoch: string): boolean {
  const [, other = epoch] = OTHER_FORM.exec(cursor) ?? [];
  return other !== epoch;
}

/** UTC milliseconds of an entry, by the clock of Redis. */
export function timeOf(entryId: string): number {
  return Number(entryId.split('-')[0]);
}

function encode(value: number, digits: number): string {
  return value.toString(BASE).padStart(digits, '0');
}
