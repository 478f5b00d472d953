import { memoryErrors, showValue, type MemoryArgument } from '@millrace/kernel';
import type { ArgumentKind } from './ArgumentKind.js';
import type { ArgumentSource, Home } from './ArgumentSource.js';

/** One argument, for the documentation. */
export interface PartArgument {
  readonly name: string;
  readonly home: Home;
  readonly kind: Pick<ArgumentKind, 'expected' | 'schema'>;
  readonly isRequired: boolean;
}

/**
 * A part of a command's grammar: reads its arguments from a request and appends them to the Redis command. A command is
 * the list of its parts in the order that Redis requires.
 */
export interface CommandPart {
  readonly args: readonly PartArgument[];
  /** @throws memory.invalid_argument naming the argument */
  append(source: ArgumentSource, words: MemoryArgument[]): void;
}

/** @throws memory.invalid_argument: the argument is absent */
export function missing(name: string, expected: string): Error {
  return memoryErrors.invalid_argument({ name, problem: `is missing: expected ${expected}` });
}

/** @throws memory.invalid_argument: the argument has a wrong type or form */
export function invalid(name: string, expected: string, got: unknown): Error {
  const problem = `is invalid: expected ${expected}, got ${showValue(got)}`;
  return memoryErrors.invalid_argument({ name, problem });
}

/** Converts one value to a command argument. @throws memory.invalid_argument */
export function toWord(name: string, kind: ArgumentKind, value: unknown): string {
  const word = kind.toWord(value);
  if (word === undefined) throw invalid(name, kind.expected, value);
  return word;
}

/**
 * Reads an argument that is no list (MEM-6).
 * @throws memory.invalid_argument
 */
export function readOne(source: ArgumentSource, name: string, home: Home): unknown {
  const value = source.read(name, home);
  if (source.isRepeated(name, value)) throw invalid(name, 'one value', value);
  return value;
}

/** Reads a flag (G): on, off or absent; `null` and absent mean off. @throws memory.invalid_argument */
export function readFlag(source: ArgumentSource, name: string, home: Home): boolean {
  const value = source.read(name, home);
  if (value === undefined || value === false || value === 0) return false;
  if (value === true || value === 1) return true;
  if (typeof value === 'string') {
    if (value === '' || value === '1' || value === 'true') return true;
    if (value === '0' || value === 'false') return false;
    if (value.toLowerCase() === name) return true;
  }
  throw invalid(name, 'a flag: true or false', value);
}

/** Any JSON value as a list: a lone scalar is a list of one, an absent value an empty list. */
export function toList(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
