import { memoryErrors, type MillraceError } from '@millrace/kernel';

/** An error with Redis's own message: `memory.command_error` (400). */
export function failure(message: string): MillraceError {
  return memoryErrors.command_error({ message });
}

/** Error messages that many commands share. */
export const WRONG_TYPE = 'WRONGTYPE Operation against a key holding the wrong kind of value';
export const NOT_AN_INTEGER = 'ERR value is not an integer or out of range';
export const NOT_A_FLOAT = 'ERR value is not a valid float';
export const SYNTAX_ERROR = 'ERR syntax error';
export const NO_SUCH_KEY = 'ERR no such key';
export const OUT_OF_RANGE = 'ERR value is out of range, must be positive';
export const OVERFLOW = 'ERR increment or decrement would overflow';
