import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDescribedServer } from './openDescribedServer.js';
import { OpenApiCheck } from './OpenApiCheck.js';
import { RecordingProxy } from './RecordingProxy.js';

/** Path of the conformance suite's `run`; without it there is nothing to record. */
const RUN = process.env['MILLRACE_TEST_CONFORMANCE'];
if (RUN === undefined) console.log('skipped: calls of the conformance suite (MILLRACE_TEST_CONFORMANCE names its run)');

describe.skipIf(RUN === undefined)('the calls of the conformance suite over HTTP', () => {
  let server: Awaited<ReturnType<typeof openDescribedServer>>;
  let proxy: RecordingProxy;
  let check: OpenApiCheck;

  beforeAll(async () => {
    server = await openDescribedServer();
    check = new OpenApiCheck(await server.read('/_openapi'));
    proxy = new RecordingProxy(server.urlOf('http'));
    const baseUrl = await proxy.start();
    const addresses = ['websocket:ws', 'fallback:fallback', 'mqtt:mqtt'].flatMap((each) => {
      const [protocol = '', option = ''] = each.split(':');
      return [`--${option}`, server.urlOf(protocol)];
    });
    // Its own verdict is no matter of this test.
    await promisify(execFile)(RUN ?? '', ['--base-url', baseUrl, ...addresses], {
      maxBuffer: 1 << 26,
    }).catch(() => undefined);
  }, 300_000);

  afterAll(async () => {
    await proxy.stop();
    await server.close();
  });

  it('are as the OpenAPI document describes them, requests and responses', () => {
    const problems = proxy.exchanges
      .filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS')
      .flatMap((exchange) => check.problemsOf(exchange) ?? []);
    console.log(`${proxy.exchanges.length} exchanges, ${check.seen.size} operations of ${check.operationIds.length}`);
    expect(proxy.exchanges.length).toBeGreaterThan(1_000);
    expect([...new Set(problems)]).toEqual([]);
  });
});
