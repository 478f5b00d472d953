import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { hasElasticsearch, NODE } from '../storage/openElasticsearch.js';

const RUN = fileURLToPath(new URL('chaos.mjs', import.meta.url));
const SHORT = [
  ...['--seconds', '8', '--cuts', '60', '--clients', '4', '--seed', '20'],
  ...['--kills', '1', '--restarts', '1'],
];
const TRANSPORTS = ['websocket', 'socketio', 'sse', 'poll', 'mqtt'];

async function expectNothingLost(flags: readonly string[]): Promise<void> {
  const run = promisify(execFile)(process.execPath, [RUN, ...SHORT, ...flags]);
  // A failed run has its output too.
  const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
  expect(stdout).toContain('nothing was lost or duplicated');
  expect(stdout).toContain('"kills":1,"restarts":1');
}

it.each(TRANSPORTS)(
  'clients over %s whose connections are cut and whose server is killed and restarted end with the documents of a search (RESUME-11)',
  (transport) => expectNothingLost(['--transports', transport]),
);

it.runIf(hasElasticsearch())('so do those of one server on Elasticsearch (LOG-16)', () =>
  expectNothingLost(['--transports', 'websocket,poll', '--elasticsearch', NODE]),
);
