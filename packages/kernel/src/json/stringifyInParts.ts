/** Lists and objects are split down to this depth: message, result, list, hit. Below it, only long ones are. */
const MAX_DEPTH = 4;
const SLICE_LENGTH = 65_536;
const MAX_RUN = 1_000;
/** Length of a number or bracket with its separators, for estimates. */
const NODE_LENGTH = 16;

/**
 * The text of `JSON.stringify` in parts, so that the caller can pause between them: one call for a value of 64 MB
 * blocks the event loop for 100 ms or more. Long strings and the elements of the outer lists and objects become
 * separate parts.
 */
export function* stringifyInParts(value: unknown, depth = 0): Generator<string, void> {
  if (typeof value === 'string') yield* stringParts(value);
  else if (typeof value !== 'object' || value === null || (depth >= MAX_DEPTH && isShort(value))) {
    yield JSON.stringify(value) ?? 'null';
  } else if (Array.isArray(value)) yield* listParts(value, depth);
  else yield* objectParts(value, depth);
}

/** As `stringifyInParts`, but a short value is one part. */
export function stringifyLong(value: object): Generator<string, void> {
  return stringifyInParts(value, MAX_DEPTH);
}

/** Estimates the length of the text, and stops at that of a slice. */
function isShort(value: object): boolean {
  return lengthLeft(value, SLICE_LENGTH) > 0;
}

/** @returns `left` less the estimated length of a value; 0 or less: it is longer */
function lengthLeft(value: unknown, left: number): number {
  if (typeof value === 'string') return left - NODE_LENGTH - value.length;
  let rest = left - NODE_LENGTH;
  if (typeof value !== 'object' || value === null) return rest;
  if (Array.isArray(value)) {
    for (const element of value) if ((rest = lengthLeft(element, rest)) <= 0) return rest;
    return rest;
  }
  for (const key in value) {
    rest = lengthLeft((value as Record<string, unknown>)[key], rest - key.length);
    if (rest <= 0) return rest;
  }
  return rest;
}

function* listParts(list: readonly unknown[], depth: number): Generator<string, void> {
  if (list.length === 0) yield '[]';
  for (let at = 0; at < list.length;) {
    yield at === 0 ? '[' : ',';
    const end = endOfRun(list, at);
    if (end - at > 1) yield JSON.stringify(list.slice(at, end)).slice(1, -1);
    else yield* stringifyInParts(list[at], depth + 1);
    at = end;
    if (at === list.length) yield ']';
  }
}

/** Consecutive short elements form one part. @returns the end of the run that begins at `from`, at least one element */
function endOfRun(list: readonly unknown[], from: number): number {
  let length = 0;
  let end = from;
  while (end < list.length && length < SLICE_LENGTH && end - from < MAX_RUN) {
    const element = list[end];
    if (typeof element === 'object' && element !== null) break;
    length += typeof element === 'string' ? element.length : 1;
    if (length > SLICE_LENGTH) break;
    end++;
  }
  return Math.max(end, from + 1);
}

function* objectParts(object: object, depth: number): Generator<string, void> {
  let separator = '{';
  for (const [key, value] of Object.entries(object)) {
    // As `JSON.stringify`.
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(key)}:`;
    yield* stringifyInParts(value, depth + 1);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

function* stringParts(value: string): Generator<string, void> {
  if (value.length <= SLICE_LENGTH) {
    yield JSON.stringify(value);
    return;
  }
  yield '"';
  for (let from = 0; from < value.length;) {
    const to = endOfSlice(value, from, SLICE_LENGTH);
    yield JSON.stringify(value.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

/** The end of a slice of a string that doesn't split a surrogate pair. */
export function endOfSlice(text: string, from: number, length: number): number {
  const to = Math.min(text.length, from + length);
  const isHighSurrogate = (text.charCodeAt(to - 1) & 0xfc00) === 0xd800;
  return isHighSurrogate && to < text.length && to - from > 1 ? to - 1 : to;
}
