import { estimateJsonBytes, realtimeErrors, type JsonObject } from '@millrace/kernel';

/**
 * A subscription's metadata stays in memory with it, and is sent to all members of the room when a member joins or
 * leaves.
 */
const MAX_BYTES = 4_096;

/**
 * Validates the metadata of a request to subscribe or join.
 * @returns its estimated memory, in bytes
 * @throws realtime.metadata_too_large (400) for more than 4,096 bytes of JSON in UTF-8
 */
export function checkMetadata(metadata: JsonObject): number {
  const json = JSON.stringify(metadata);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_BYTES) throw realtimeErrors.metadata_too_large({ bytes, limit: MAX_BYTES });
  return estimateJsonBytes(json);
}
