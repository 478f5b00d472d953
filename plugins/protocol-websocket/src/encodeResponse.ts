import { encodeMessage, type Response } from '@millrace/kernel';
import { textFrame, textFrameHead } from './frame.js';

/**
 * A response as a frame: the envelope with `room` = its `requestId` (PROTO-51).
 * @throws where the result is no JSON
 */
export function encodeResponse({ message }: Response): Buffer {
  return textFrame(addRoom(encodeMessage(message), message.requestId));
}

/** As `encodeResponse`, of a message that has been encoded in parts. The parts follow the head as they are. */
export function wrapParts({ message }: Response, parts: readonly Buffer[]): readonly Buffer[] {
  const [first = Buffer.alloc(0), ...rest] = parts;
  // Without the opening brace, which the prefix has.
  const tail = [first.subarray(1), ...rest];
  const length = tail.reduce((sum, part) => sum + part.length, 0);
  return [textFrameHead(roomPrefix(message.requestId), length), ...tail];
}

/** An envelope with the field `room` in front. @param envelope text of a JSON object with a field at least */
export function addRoom(envelope: string, room: string): string {
  return `${roomPrefix(room)}${envelope.slice(1)}`;
}

/** How an envelope with this room begins; everything but its opening brace follows. */
export function roomPrefix(room: string): string {
  return `{"room":${JSON.stringify(room)},`;
}
