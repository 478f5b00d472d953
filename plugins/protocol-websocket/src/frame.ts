/*
 * Builds WebSocket frames: header and payload in one Buffer need one write per socket, and the same Buffer is sent to
 * every socket of a channel. This is safe because compression is off and messages aren't fragmented. Frames of a
 * server are not masked (RFC 6455 section 5.1).
 */
const FINAL_TEXT = 0x81;
const FINAL_PING = 0x89;
const FINAL_PONG = 0x8a;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** A ping without payload. */
export const PING_FRAME = Buffer.from([FINAL_PING, 0]);

/** Builds a text message. @param text its content */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = openFrame(FINAL_TEXT, length);
  writeText(frame, text, frame.length - length, length);
  return frame;
}

/**
 * Builds a text message from an envelope with a field before its others, without a copy of the envelope's text.
 * @param prefix JSON from the opening brace to the comma after the field
 * @param envelope JSON object with at least one field
 */
export function textFrameInRoom(prefix: string, envelope: string): Buffer {
  const prefixLength = Buffer.byteLength(prefix);
  const length = Buffer.byteLength(envelope);
  const frame = openFrame(FINAL_TEXT, prefixLength + length - 1);
  const at = frame.length - length;
  writeText(frame, envelope, at, length);
  // Its comma takes the place of the envelope's brace.
  writeText(frame, prefix, at + 1 - prefixLength, prefixLength);
  return frame;
}

/** Builds a text message from a head and bytes that several messages share. */
export function joinedTextFrame(head: string, tail: Buffer): Buffer {
  const headLength = Buffer.byteLength(head);
  const frame = openFrame(FINAL_TEXT, headLength + tail.length);
  const tailAt = frame.length - tail.length;
  writeText(frame, head, tailAt - headLength, headLength);
  tail.copy(frame, tailAt);
  return frame;
}

/** The pong for a ping: returns its payload, at most 125 bytes. */
export function pongFrame(payload: Buffer): Buffer {
  const frame = openFrame(FINAL_PONG, payload.length);
  payload.copy(frame, frame.length - payload.length);
  return frame;
}

/** The bytes before the payload of a long text message that is sent in parts. @param length bytes of the payload */
export function textFrameHead(head: string, length: number): Buffer {
  const headLength = Buffer.byteLength(head);
  const frame = openFrame(FINAL_TEXT, headLength + length, headLength);
  writeText(frame, head, frame.length - headLength, headLength);
  return frame;
}

/** An ASCII string has as many bytes as characters and can be copied directly. */
function writeText(frame: Buffer, text: string, at: number, length: number): void {
  frame.write(text, at, length === text.length ? 'latin1' : 'utf8');
}

/**
 * A frame with its header written (RFC 6455 section 5.2).
 * @param length bytes of the payload
 * @param room bytes of the payload that fit into the buffer, after the header
 */
function openFrame(firstByte: number, length: number, room = length): Buffer {
  if (length < LENGTH_16) {
    const frame = Buffer.allocUnsafe(2 + room);
    frame[0] = firstByte;
    frame[1] = length;
    return frame;
  }
  if (length <= 0xffff) {
    const frame = Buffer.allocUnsafe(4 + room);
    frame[0] = firstByte;
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(length, 2);
    return frame;
  }
  const frame = Buffer.allocUnsafe(10 + room);
  frame[0] = firstByte;
  frame[1] = LENGTH_64;
  frame.writeUInt32BE(0, 2);
  frame.writeUInt32BE(length, 6);
  return frame;
}
