// Does the time of a refused login reveal whether an account exists (SEC-60)? Logs in over HTTP with the wrong
// password of a user, of an unknown user and of a user with an impossible name, in random order, and compares medians.
//
//   npm run build && node bench/scripts/loginTiming.mjs [rounds]
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kernel } from '@millrace/server';
import { localAuth } from '@millrace/auth-local';

const rounds = Number(process.argv[2] ?? 150);
const dataDir = mkdtempSync(join(tmpdir(), 'millrace-timing-'));
// The limits would end the measurement after ten rounds.
const login = { maxFailuresPerAccount: 1_000_000, maxFailuresPerAddress: 1_000_000 };
const kernel = new Kernel({
  config: { http: { port: 0 }, server: { dataDir }, log: { level: 'error' }, security: { login } },
  plugins: [localAuth()],
});

try {
  const [{ url }] = await kernel.start();
  const post = async (path, body) => {
    const startMs = performance.now();
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    return { status: response.status, tookMs: performance.now() - startMs };
  };
  const made = await post('/_createFirstAdmin', { _id: 'known', password: 'the-right-Password' });
  if (made.status !== 200) throw new Error(`createFirstAdmin: ${made.status}`);

  const names = {
    'wrong password': () => 'known',
    'unknown user': (round) => `unknown-${round}`,
    'the same unknown user': () => 'unknown',
    'no possible user': () => '_impossible',
  };
  const tookMs = Object.fromEntries(Object.keys(names).map((name) => [name, []]));
  for (let round = -10; round < rounds; round++) {
    // Shuffled: whoever always comes second would find the machine as the first has left it.
    const order = Object.keys(names).sort(() => randomInt(3) - 1);
    for (const name of order) {
      const body = { username: names[name](round), password: `wrong-Password-${round}` };
      const { status, tookMs: took } = await post('/_login', body);
      if (status !== 401) throw new Error(`${name}: expected 401, got ${status}`);
      if (round >= 0) tookMs[name].push(took);
    }
  }
  const at = (values, part) => values.toSorted((a, b) => a - b)[Math.floor(values.length * part)];
  const medians = Object.entries(tookMs).map(([name, values]) => {
    const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => at(values, part).toFixed(2));
    console.log(`${name.padEnd(24)} median ${middle} ms   quartiles ${low} to ${high} ms`);
    return at(values, 0.5);
  });
  const [least, most] = [Math.min(...medians), Math.max(...medians)];
  const isAlike = most - least <= 8 && most / least <= 1.6;
  console.log(
    `medians differ by ${(most - least).toFixed(2)} ms, × ${(most / least).toFixed(2)} ` +
      `(allowed: 8 ms, × 1.6): ${isAlike ? 'alike' : 'NOT alike'}`,
  );
  process.exitCode = isAlike ? 0 : 1;
} finally {
  await kernel.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
