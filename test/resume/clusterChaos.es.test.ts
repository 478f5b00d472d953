import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasRedis } from '../memory/startRedis.js';
import { hasElasticsearch } from '../storage/openElasticsearch.js';

const RUN = fileURLToPath(new URL('clusterChaos.mjs', import.meta.url));
const SHORT = ['--seconds', '20', '--cuts', '20', '--clients', '2', '--faults', '3', '--seed', '20'];
const LONGEST_MS = 400_000;
const MAX_OUTPUT = 16 * 2 ** 20;
const TRANSPORTS = ['--transports', 'websocket,poll'];

interface Outputs {
  readonly stdout: string;
  readonly stderr: string;
}

describe.skipIf(!hasRedis() || !hasElasticsearch())('three nodes that are killed and paused', () => {
  it(
    'leave every subscriber with the documents of a search, or with a gap (LOG-11)',
    async () => {
      const flags = [RUN, ...SHORT, ...TRANSPORTS];
      const run = promisify(execFile)(process.execPath, flags, {
        maxBuffer: MAX_OUTPUT,
        timeout: LONGEST_MS,
      });
      const { stdout, stderr } = await run.catch((error: Outputs) => error);
      // The default message would show the first few characters.
      const isRight = stdout.includes('nothing was lost or duplicated');
      expect(isRight, `${stdout}\n${stderr}`).toBe(true);
    },
    1.1 * LONGEST_MS,
  );
});
