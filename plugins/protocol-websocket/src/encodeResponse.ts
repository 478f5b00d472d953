import { encodeMessage, type Response } from '@millrace/kernel';
import { textFrameHead, textFrameInRoom } from './frame.js';

/**
 * Encodes a response as a frame: the envelope with `room` = its `requestId` (PROTO-51).
 * @throws if the result can't be encoded as JSON
 */
export function encodeResponse({ message }: Response): Buffer {
  return textFrameInRoom(roomPrefix(message.requestId), encodeMessage(message));
}

/** Like `encodeResponse`, for a message that is already encoded in parts. The parts follow the head unchanged. */
export function wrapParts({ message }: Response, parts: readonly Buffer[]): readonly Buffer[] {
  const [first = Buffer.alloc(0), ...rest] = parts;
  // Without the opening brace, which the prefix contains.
  const tail = [first.subarray(1), ...rest];
  const length = tail.reduce((sum, part) => sum + part.length, 0);
  return [textFrameHead(roomPrefix(message.requestId), length), ...tail];
}

/** The beginning of an envelope with this room; the rest of the envelope, without its opening brace, follows. */
export function roomPrefix(room: string): string {
  return `{"room":${JSON.stringify(room)},`;
}
