/** Size of a message id. */
export const MESSAGE_ID_BYTES = 2;

const PUBLISH = 0x30;
const LENGTH_BYTES = 2;

/**
 * A PUBLISH packet of MQTT 3.1.1. With QoS 1 its message id is 0: the sender sets it. The encoder of the
 * library mqtt-packet keeps a buffer for every length below 16 KiB that it has seen, and each such buffer keeps a slab
 * of 8 KiB: up to 128 MiB.
 */
export function encodePublish(topic: string, payload: Buffer, qos: 0 | 1): Buffer {
  const topicBytes = Buffer.byteLength(topic);
  const idBytes = qos === 0 ? 0 : MESSAGE_ID_BYTES;
  const length = remainingLength(LENGTH_BYTES + topicBytes + idBytes + payload.length);
  const payloadAt = 1 + length.length + LENGTH_BYTES + topicBytes + idBytes;
  const packet = Buffer.allocUnsafe(payloadAt + payload.length);
  packet.writeUInt8(PUBLISH | (qos << 1), 0);
  packet.set(length, 1);
  const topicAt = packet.writeUInt16BE(topicBytes, 1 + length.length);
  packet.write(topic, topicAt);
  packet.fill(0, topicAt + topicBytes, payloadAt);
  payload.copy(packet, payloadAt);
  return packet;
}

/** Seven bits per byte, the lowest first. */
function remainingLength(bytes: number): number[] {
  return bytes < 128 ? [bytes] : [(bytes % 128) | 128, ...remainingLength(Math.floor(bytes / 128))];
}
