// Does the time of a refused API key reveal whether its id exists (KEY-9)? Sends keys with a wrong secret, with an unknown
// id and with a wrong checksum over HTTP in random order, and compares medians. The share of pairs in which one takes
// longer than the other is 0.5 where the times tell nothing.
//
//   npm run build && node bench/scripts/keyTiming.mjs [rounds]
import { randomInt } from 'node:crypto';
import { Agent, request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Kernel } from '@millrace/server';
import { localAuth } from '@millrace/auth-local';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const rounds = Number(process.argv[2] ?? 10_000);
const dataDir = mkdtempSync(join(tmpdir(), 'millrace-timing-'));
// The limit would end the measurement after 200 rounds.
const login = { maxFailuresPerAccount: 1_000_000, maxFailuresPerAddress: 1_000_000 };
const kernel = new Kernel({
  config: { http: { port: 0 }, server: { dataDir }, log: { level: 'error' }, security: { login } },
  plugins: [localAuth()],
});
/** Each waits for its answer, which a refused key gets after 20 ms. */
const LANES = 8;
const agent = new Agent({ keepAlive: true, maxSockets: LANES });

const randomText = (length) => Array.from({ length }, () => ALPHABET[randomInt(62)]).join('');
const keyOf = (id, secret) => {
  let [rest, checksum] = [crc32(`mr_${id}_${secret}`), ''];
  for (let i = 0; i < 6; i++) {
    checksum = ALPHABET[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return `mr_${id}_${secret}${checksum}`;
};

try {
  const [{ url }] = await kernel.start();
  const call = async (action, fields) => {
    const { error, result } = await kernel.execute({ controller: 'security', action, ...fields });
    if (error !== null) throw new Error(error.message);
    return result;
  };
  await call('createFirstAdmin', { _id: 'root', body: { password: 'a-long-Password-7' } });
  const made = await kernel.execute(
    { controller: 'security', action: 'createApiKey', _id: 'root', body: { name: 'timing' } },
    { user: { _id: 'root', profileIds: ['admin'] } },
  );
  const { key, _id } = made.result;
  const send = (token) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const startMs = performance.now();
      const sent = request(`${url}/_now`, { agent, headers }, (answer) => {
        answer.resume();
        answer.on('end', () => resolve({ status: answer.statusCode, tookMs: performance.now() - startMs }));
      });
      sent.on('error', reject).end();
    });
  if ((await send(key)).status !== 200) throw new Error('the key is not accepted');

  const keys = {
    'wrong secret': () => keyOf(_id, randomText(32)),
    'unknown id': () => keyOf(randomText(8), randomText(32)),
    'wrong checksum': () => `mr_${_id}_${randomText(38)}`,
  };
  const tookMs = Object.fromEntries(Object.keys(keys).map((name) => [name, []]));
  let round = -200;
  const lane = async () => {
    for (; round < rounds; round++) {
      const names = Object.keys(keys)
        .map((name) => [Math.random(), name])
        .sort(([a], [b]) => a - b);
      for (const [, name] of names) {
        const { status, tookMs: took } = await send(keys[name]());
        if (status !== 401) throw new Error(`${name}: expected 401, got ${status}`);
        if (round >= 0) tookMs[name].push(took);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  for (const [name, values] of Object.entries(tookMs)) {
    values.sort((a, b) => a - b);
    const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => at(values, part).toFixed(3));
    console.log(`${name.padEnd(16)} median ${middle} ms   quartiles ${low} to ${high} ms`);
  }
  const [secret, id] = [tookMs['wrong secret'], tookMs['unknown id']];
  const [difference, spread] = [Math.abs(at(secret, 0.5) - at(id, 0.5)), at(secret, 0.75) - at(secret, 0.25)];
  const share = shareLonger(secret, id);
  const isAlike = difference <= spread / 4 && Math.abs(share - 0.5) <= 0.05;
  console.log(
    `medians of wrong secret and unknown id differ by ${(difference * 1e3).toFixed(1)} µs (quartiles by ` +
      `${(spread * 1e3).toFixed(0)} µs); the wrong secret takes longer in ${share.toFixed(3)} of pairs: ` +
      (isAlike ? 'alike' : 'NOT alike'),
  );
  process.exitCode = isAlike ? 0 : 1;
} finally {
  agent.destroy();
  await kernel.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

function at(sorted, part) {
  return sorted[Math.floor(sorted.length * part)];
}

/** Of all pairs, those in which the first is longer. */
function shareLonger(sorted, others) {
  let [count, below] = [0, 0];
  for (const value of sorted) {
    while (below < others.length && others[below] < value) below++;
    count += below;
  }
  return count / (sorted.length * others.length);
}
