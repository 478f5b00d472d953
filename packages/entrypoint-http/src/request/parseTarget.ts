import { apiErrors, type MillraceError } from '@millrace/kernel';

/** The target of a request line, split but not decoded. */
export interface RequestTarget {
  readonly path: string;
  /**
   * Raw segments without empty ones, except for the last: a trailing slash is an empty last segment (PROTO-26). Empty
   * for `/`. The prefix `/api/1.0` is removed.
   */
  readonly segments: readonly string[];
  /** The part after the `?`; empty if there is none. */
  readonly query: string;
  /** Below `/ms` the memory store's rules for empty and repeated parts apply (MEM-3, MEM-6). */
  readonly isMemoryStore: boolean;
}

const API_PREFIX = ['api', '1.0'];
// RFC 9112 section 3.2.2: a server must accept the absolute form too; its authority is ignored.
const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;
const PRINTABLE = /^[\x21-\x7e]+$/;

/** @returns the error to answer if the target is invalid (api.invalid_request) */
export function parseTarget(url: string): RequestTarget | MillraceError {
  if (!PRINTABLE.test(url)) return refuse('characters beyond ASCII must be percent-encoded');
  if (url.includes('#')) return refuse('a fragment (#…) is not part of a request');
  const isPath = url.startsWith('/');
  if (!isPath && !ABSOLUTE_FORM.test(url)) return refuse('expected a path that begins with "/"');
  const local = isPath ? url : url.replace(ABSOLUTE_FORM, '');
  const mark = local.indexOf('?');
  const path = (mark < 0 ? local : local.slice(0, mark)) || '/';
  const query = mark < 0 ? '' : local.slice(mark + 1);
  const segments = withoutPrefix(segmentsOf(path));
  const isMemoryStore = segments[0] === 'ms';
  // Only the end of the path distinguishes `DELETE /index/` from `DELETE /index`.
  if (segments.length > 0 && path.endsWith('/') && !isMemoryStore) segments.push('');
  return { path, segments, query, isMemoryStore };
}

function segmentsOf(path: string): string[] {
  const segments: string[] = [];
  for (let start = 1; start < path.length;) {
    const slash = path.indexOf('/', start);
    const end = slash < 0 ? path.length : slash;
    if (end > start) segments.push(path.slice(start, end));
    start = end + 1;
  }
  return segments;
}

function withoutPrefix(segments: string[]): string[] {
  const hasPrefix = segments[0] === API_PREFIX[0] && segments[1] === API_PREFIX[1];
  return hasPrefix ? segments.slice(2) : segments;
}

function refuse(problem: string): MillraceError {
  return apiErrors.invalid_request({
    problem: `the address of the request is not valid: ${problem}`,
  });
}
