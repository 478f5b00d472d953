import { isJsonObject, type JsonObject } from '@millrace/kernel';

/** One kind of argument (MEM-10): how a value is converted to an argument of the Redis command. */
export interface ArgumentKind {
  /** The expected value as the end of an error message. */
  readonly expected: string;
  readonly schema: JsonObject;
  /** @returns the command argument, or undefined if the value is not of this kind */
  toWord(value: unknown): string | undefined;
}

const NUMBER_OR_TEXT = { type: ['string', 'number'] };
const DECIMAL_INTEGER = /^-?\d{1,40}$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const INFINITY = /^[+-]?inf(?:inity)?$/i;
const MAX_INTEGER = 2n ** 63n - 1n;
const MIN_INTEGER = -(2n ** 63n);

/** K: key, field or other name. */
export const name: ArgumentKind = {
  expected: 'a non-empty string or a number',
  schema: NUMBER_OR_TEXT,
  toWord: (value) => {
    if (typeof value === 'string') return value === '' ? undefined : value;
    return typeof value === 'number' ? String(value) : undefined;
  },
};

/** V: a value; objects and arrays become compact JSON text. */
export const value: ArgumentKind = {
  expected: 'a string, number, boolean, object or array',
  schema: {},
  toWord: (given) => {
    if (typeof given === 'string') return given;
    if (typeof given === 'number' || typeof given === 'boolean') return String(given);
    return isJsonObject(given) || Array.isArray(given) ? JSON.stringify(given) : undefined;
  },
};

/** I: a 64-bit integer. */
export const integer: ArgumentKind = {
  expected: 'an integer of 64 bits (beyond 2^53 as a string)',
  schema: { type: ['integer', 'string'] },
  toWord: (given) => {
    if (typeof given === 'number') return Number.isSafeInteger(given) ? String(given) : undefined;
    if (typeof given !== 'string' || !DECIMAL_INTEGER.test(given)) return undefined;
    const number = BigInt(given);
    return number > MAX_INTEGER || number < MIN_INTEGER ? undefined : String(number);
  },
};

/** F: a decimal number. */
export const decimal: ArgumentKind = {
  expected: 'a number or its decimal text',
  schema: NUMBER_OR_TEXT,
  toWord: (given) => {
    if (typeof given === 'number') return String(given);
    if (typeof given !== 'string' || !DECIMAL.test(given)) return undefined;
    return Number.isFinite(Number(given)) ? given : undefined;
  },
};

/** F for scores: also infinities. */
export const score: ArgumentKind = {
  expected: 'a number, its decimal text, "inf" or "-inf"',
  schema: NUMBER_OR_TEXT,
  toWord: (given) => (typeof given === 'string' && INFINITY.test(given) ? given : decimal.toWord(given)),
};

/** Z: the bound of a score range. */
export const scoreBound: ArgumentKind = {
  expected: 'a number, "inf" or "-inf", with a leading "(" to exclude it',
  schema: NUMBER_OR_TEXT,
  toWord: (given) => {
    if (typeof given !== 'string' || !given.startsWith('(')) return score.toWord(given);
    const inner = score.toWord(given.slice(1));
    return inner === undefined ? undefined : `(${inner}`;
  },
};

/** S: a string. Also L, the bound of a lexical range, whose form the store checks. */
export const text: ArgumentKind = {
  expected: 'a string',
  schema: { type: 'string' },
  toWord: (given) => (typeof given === 'string' ? given : typeof given === 'number' ? String(given) : undefined),
};

/** S limited to some keywords, compared case-insensitively and converted to capitals. */
export function keyword(...choices: readonly string[]): ArgumentKind {
  const words = new Set(choices);
  return {
    expected: choices.map((choice) => `"${choice}"`).join(' or '),
    schema: { type: ['string', 'integer'], pattern: `^(?:${choices.map(anyCase).join('|')})$` },
    toWord: (given) => {
      const word = text.toWord(given)?.toUpperCase();
      return word !== undefined && words.has(word) ? word : undefined;
    },
  };
}

/** A pattern of the word in capitals and lower case: JSON Schema has no flags. */
function anyCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);
}

/** A list; a lone scalar is a list of one. */
export const LIST: Pick<ArgumentKind, 'expected' | 'schema'> = {
  expected: 'a list',
  schema: { type: ['array', 'string', 'number', 'boolean'] },
};
