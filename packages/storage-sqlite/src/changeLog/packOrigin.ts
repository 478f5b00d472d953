import type { ChangeOrigin, JsonObject } from '@millrace/kernel';

/*
 * Column `o` of a recorded change: the request that made it. `-`: a silent write. Empty: not known. Otherwise JSON: the
 * request id, or a list of the request id and the metadata if there is any.
 */

const SILENT = '-';
const UNKNOWN = '';

export function packOrigin(origin: ChangeOrigin | null | undefined): string {
  if (origin === undefined) return UNKNOWN;
  if (origin === null) return SILENT;
  const { requestId, metadata } = origin;
  for (const _ in metadata) return JSON.stringify([requestId, metadata]);
  return JSON.stringify(requestId);
}

export function unpackOrigin(packed: string): {
  readonly origin: ChangeOrigin | null;
  readonly isSilent: boolean;
} {
  if (packed === UNKNOWN || packed === SILENT) {
    return { origin: null, isSilent: packed === SILENT };
  }
  const stored = JSON.parse(packed) as string | readonly [string, JsonObject];
  const origin =
    typeof stored === 'string' ? { requestId: stored, metadata: {} } : { requestId: stored[0], metadata: stored[1] };
  return { origin, isSilent: false };
}
