import type { ShownMessage } from './useMessages';

/** When the server got a message; now, as long as it hasn't. */
export function timeOf({ meta }: ShownMessage): Date {
  return new Date(meta?.createdAt ?? Date.now());
}
