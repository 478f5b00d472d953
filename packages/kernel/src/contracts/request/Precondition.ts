import { apiErrors } from '../../errors/errors.js';
import type { Request } from './Request.js';
import { showValue } from '../../errors/showValue.js';

/** The condition on the stored document for a write, as requested by If-Match or If-None-Match. */
export type Precondition =
  { readonly kind: 'version'; readonly version: number } | { readonly kind: 'present' } | { readonly kind: 'absent' };

const STRONG_TAG = /^"([1-9]\d{0,15})"$/;

/**
 * The precondition in the headers of a request (PROTO-30); null if there is none. `If-Match: "<version>"`, `If-Match:
 * *` or `If-None-Match: *`.
 * @param taken the kinds that the action supports
 * @throws api.invalid_argument (400) for other values, and for a kind that the action doesn't support
 */
export function readPrecondition(
  { headers, controller, action }: Request,
  taken: readonly Precondition['kind'][],
): Precondition | null {
  if (headers === null) return null;
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match === undefined && noneMatch === undefined) return null;
  const name = match === undefined ? 'If-None-Match' : 'If-Match';
  const value = match ?? noneMatch;
  const refuse = (expected: string) => apiErrors.invalid_argument({ name, value: showValue(value), expected });
  if (match !== undefined && noneMatch !== undefined) {
    throw refuse('one of the headers If-Match and If-None-Match');
  }
  const found = match === undefined ? readNoneMatch(noneMatch) : readMatch(match);
  if (found === undefined) {
    throw refuse(match === undefined ? '*' : 'a version in quotation marks, such as "3", or *');
  }
  if (taken.includes(found.kind)) return found;
  throw refuse(`none: ${controller}.${action} takes no such condition`);
}

function readMatch(value: unknown): Precondition | undefined {
  if (value === '*') return { kind: 'present' };
  const version = typeof value === 'string' ? STRONG_TAG.exec(value)?.[1] : undefined;
  return version === undefined ? undefined : { kind: 'version', version: Number(version) };
}

function readNoneMatch(value: unknown): Precondition | undefined {
  return value === '*' ? { kind: 'absent' } : undefined;
}
