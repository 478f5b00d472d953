/*
 * Packets that end before their required packet identifier (MQTT 3.1.1 section 2.3.1). The broker's library would
 * read it from the following bytes, or respond with an incomplete packet, so they must not reach it.
 */
const PUBLISH = 3;
const ACKNOWLEDGED = 0x06;
/** PUBACK, PUBREC, PUBREL, PUBCOMP, SUBSCRIBE, UNSUBSCRIBE. */
const BEGIN_WITH_ID: readonly number[] = [4, 5, 6, 7, 8, 10];

const CONTINUES = 0x80;
const TOPIC_LENGTH_BYTES = 2;
const ID_BYTES = 2;

/** @param packet the whole packet, including its fixed header */
export function lacksPacketId(packet: Buffer): boolean {
  const firstByte = packet[0] ?? 0;
  const type = firstByte >> 4;
  const start = startOfRest(packet);
  const restBytes = packet.length - start;
  if (BEGIN_WITH_ID.includes(type)) return restBytes < ID_BYTES;
  if (type !== PUBLISH || (firstByte & ACKNOWLEDGED) === 0) return false;
  if (restBytes < TOPIC_LENGTH_BYTES) return true;
  return restBytes < TOPIC_LENGTH_BYTES + packet.readUInt16BE(start) + ID_BYTES;
}

/** Position after the remaining length, which has one to four bytes. */
function startOfRest(packet: Buffer): number {
  let at = 1;
  while (((packet[at] ?? 0) & CONTINUES) !== 0) at++;
  return at + 1;
}
