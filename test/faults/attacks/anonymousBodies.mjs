import { postHead } from '../postHead.mjs';

const BODY_BYTES = 66_060_302;
const UNIT_BYTES = 1_048_576;
const OPENING = Buffer.from('{"bulkData":[');
const FORMS = ['{}', '[]', '1.5', '{"a":1}'];
const PATHS = ['/x/y/_bulk', '/_bulk'];
const PAUSE_MS = 50;

/** 63 MB of items, as one buffer that is sent many times and a last one. */
function bodyOf(item) {
  const closing = Buffer.from(`${item}]}`);
  const repeated = `${item},`;
  const unit = Buffer.from(repeated.repeat(Math.floor(UNIT_BYTES / repeated.length)));
  const count = Math.floor((BODY_BYTES - OPENING.length - closing.length) / unit.length);
  const units = Array.from({ length: count }, () => unit);
  const length = OPENING.length + count * unit.length + closing.length;
  return { length, buffers: [OPENING, ...units, closing] };
}

/** Two connections that send anonymous bulk bodies of 63 MB, one after the other. */
export const anonymousBodies = {
  finding: 'C1',
  async run(attacker) {
    const requests = FORMS.flatMap((form) => {
      const { length, buffers } = bodyOf(form);
      return PATHS.map((path) => [postHead(path, length), ...buffers]);
    });
    let turn = 0;
    await attacker.crowd(2, async () => {
      attacker.sentCount++;
      const { socket, answered } = await attacker.rawHttp(requests[turn++ % requests.length]);
      attacker.count(await attacker.untilEnd(answered));
      socket.destroy();
      await attacker.pause(PAUSE_MS);
    });
  },
};
