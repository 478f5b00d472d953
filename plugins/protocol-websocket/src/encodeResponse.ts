import { encodeMessage, type Response } from '@millrace/kernel';
import { textFrame } from './frame.js';

/**
 * A response as a frame: the envelope with `room` = its `requestId` (decisions.md section 3).
 * @throws where the result is no JSON
 */
export function encodeResponse({ message }: Response): Buffer {
  return textFrame(addRoom(encodeMessage(message), message.requestId));
}

/** An envelope with the field `room` in front. @param envelope text of a JSON object with a field at least */
export function addRoom(envelope: string, room: string): string {
  return `${roomPrefix(room)}${envelope.slice(1)}`;
}

/** How an envelope with this room begins; everything but its opening brace follows. */
export function roomPrefix(room: string): string {
  return `{"room":${JSON.stringify(room)},`;
}
