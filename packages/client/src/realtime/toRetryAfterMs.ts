import { parseObject } from './parseObject.js';

/** The time in the reason `{"retryAfterMs": …}` of a stopping server (PROTO-43). */
export function toRetryAfterMs(reason: string): number | undefined {
  const { retryAfterMs } = parseObject(reason) as { readonly retryAfterMs?: unknown };
  return typeof retryAfterMs === 'number' ? retryAfterMs : undefined;
}
