import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kernel } from '@millrace/server';
import { silentLogger, type JsonObject, type Logger, type Plugin } from '@millrace/kernel';

/** An answer over HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // The envelope is checked by the tests that use it.
  readonly body: Record<string, unknown> & { readonly result: never; readonly error: never };
}

/** A server on a free port and an empty data folder. */
export interface StartedKernel {
  readonly kernel: Kernel;
  readonly url: string;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts a real server for a test. */
export async function startKernel(
  options: {
    readonly config?: JsonObject;
    readonly server?: JsonObject;
    readonly plugins?: readonly Plugin[];
    readonly logger?: Logger;
  } = {},
): Promise<StartedKernel> {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-test-'));
  // The default ones may be in use, such as by `npm start`.
  const ports = { http: { port: 0 }, websocket: { port: 0 }, fallback: { port: 0 }, mqtt: { port: 0 } };
  const config = { ...ports, server: { dataDir, ...options.server }, ...options.config };
  const kernel = new Kernel({
    config,
    plugins: options.plugins ?? [],
    logger: options.logger ?? silentLogger,
  });
  const [address] = await kernel.start();
  const url = address?.url ?? '';
  return {
    kernel,
    url,
    ask: async (method, path, body, headers = {}) => {
      const isText = typeof body === 'string';
      const response = await fetch(`${url}${path}`, {
        method,
        headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? undefined : { body: isText ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      const parsed = (isJson && text !== '' ? JSON.parse(text) : {}) as Answer['body'];
      return { status: response.status, headers: response.headers, text, body: parsed };
    },
    close: async () => {
      await kernel.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
