import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { httpProtocol } from './httpProtocol.js';
import { FakeHost, openTestServer, readAll, testConfig } from './wire/openTestServer.test.support.js';

/** An action that runs until the test releases it. */
function slowAction(host: FakeHost) {
  let finish: (result: unknown) => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    host.runs.set('server.now', () => {
      resolve();
      return new Promise((done) => {
        finish = done;
      });
    });
  });
  return { started, finish: (result: unknown) => finish(result) };
}

describe('httpProtocol', () => {
  it('tells the address with the port that was free', async () => {
    const protocol = httpProtocol(testConfig());
    const address = await protocol.start(new FakeHost());
    expect(address).toEqual({
      host: '127.0.0.1',
      port: address?.port,
      url: `http://127.0.0.1:${address?.port}`,
    });
    expect((await fetch(`${address?.url}/_now`)).status).toBe(200);
    await protocol.stop();
    await expect(fetch(`${address?.url}`)).rejects.toThrow();
  });

  it('refuses to start on a port that is taken, naming it', async () => {
    const server = await openTestServer();
    const second = httpProtocol(testConfig({ port: server.port }));
    await expect(second.start(new FakeHost())).rejects.toThrow(`port ${server.port} of 127.0.0.1`);
    await second.stop();
    await server.close();
  });

  it('PROTO-43: a stop lets running exchanges answer, and closes idle and half-sent connections', async () => {
    const server = await openTestServer();
    const { started, finish } = slowAction(server.host);
    const [idle, half] = [await server.dial(), await server.dial()];
    half.write('GET / HTTP/1.1\r\nHost:');
    const closed = Promise.all([idle, half].map((socket) => once(socket, 'close')));
    const running = server.send('GET', '/_now', { headers: { connection: 'keep-alive' } });
    await started;

    let isStopped = false;
    const stopped = server.protocol.stop().then(() => {
      isStopped = true;
    });
    await closed;
    expect(isStopped).toBe(false);
    await expect(server.dial()).rejects.toThrow('ECONNREFUSED');
    finish('done');
    const { status, headers, json } = await running;
    expect([status, headers.connection, json.result]).toEqual([200, 'close', 'done']);
    await stopped;
  });

  it('a stop cuts off what still runs after http.drainTimeoutMs', async () => {
    const server = await openTestServer({ drainTimeoutMs: 50 });
    const { started, finish } = slowAction(server.host);
    const running = server.send('GET', '/_now');
    const failure = expect(running).rejects.toThrow();
    await started;
    await server.protocol.stop();
    await failure;
    finish('too late');
  });

  it('a second call of stop cuts off at once', async () => {
    const server = await openTestServer({ drainTimeoutMs: 60_000 });
    const { started, finish } = slowAction(server.host);
    const socket = await server.dial();
    socket.write('GET /_now HTTP/1.1\r\nHost: x\r\n\r\n');
    await started;
    const first = server.protocol.stop();
    await server.protocol.stop();
    await first;
    expect(await readAll(socket)).toBe('');
    finish('too late');
  });

  it('an idle connection closes after http.keepAliveTimeoutMs, not before the next request', async () => {
    const server = await openTestServer({ keepAliveTimeoutMs: 300 });
    const socket = await server.dial();
    const request = 'GET /_now HTTP/1.1\r\nHost: x\r\n\r\n';
    socket.write(request);
    await once(socket, 'data');
    socket.write(request);
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200 OK/);
    await server.close();
  });
});
