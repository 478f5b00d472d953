import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasRedis } from '../memory/startRedis.js';
import { hasElasticsearch } from '../storage/openElasticsearch.js';

const RUN = fileURLToPath(new URL('clusterChaos.mjs', import.meta.url));
const SHORT = [
  '--seconds',
  '20',
  '--cuts',
  '20',
  '--clients',
  '2',
  '--faults',
  '3',
  '--seed',
  '20',
];
const TRANSPORTS = ['--transports', 'websocket,poll'];

describe.skipIf(!hasRedis() || !hasElasticsearch())('three nodes that are killed', () => {
  it('leave every subscriber with the documents of a search, or with a gap (LOG-11)', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [RUN, ...SHORT, ...TRANSPORTS]);
    expect(stdout).toContain('nothing was lost or duplicated');
  }, 240_000);
});
