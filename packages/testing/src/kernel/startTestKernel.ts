import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, type JsonObject, type JsonValue, type Logger, type Plugin } from '@millrace/kernel';
import { Kernel } from '@millrace/server';

/** Options of a test kernel. All have defaults. */
export interface TestKernelOptions {
  readonly plugins?: readonly Plugin[];
  /** As for `new Kernel`; ports default to free ones. */
  readonly config?: JsonObject;
  /** Default: silent. */
  readonly logger?: Logger;
}

/** An HTTP response. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The envelope; null if the response is not JSON. */
  readonly body: JsonObject | null;
}

/** A started kernel. */
export interface TestKernel {
  readonly kernel: Kernel;
  /** HTTP address, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Address of another protocol, such as `ws://127.0.0.1:40124`. @throws if that protocol doesn't listen */
  urlOf(protocol: string): string;
  /** Sends an HTTP request; a body that is not a string is sent as JSON. */
  ask(method: string, path: string, body?: JsonValue, headers?: Readonly<Record<string, string>>): Promise<TestAnswer>;
  /** Stops the kernel and removes its data. */
  close(): Promise<void>;
}

/**
 * Starts a real server for a test, in this process: on free ports, with a separate empty store. The store is in memory
 * if the system has an in-memory file system (Linux), otherwise in the folder for temporary files.
 */
export async function startTestKernel(options: TestKernelOptions = {}): Promise<TestKernel> {
  const dataDir = await mkdtemp(join(await memoryFolder(), 'millrace-test-'));
  const { server = {}, ...config } = (options.config ?? {}) as Record<string, JsonObject>;
  const free = { port: 0 };
  const kernel = new Kernel({
    config: {
      http: free,
      websocket: free,
      fallback: free,
      mqtt: free,
      ...config,
      server: { dataDir, ...server },
    },
    plugins: options.plugins ?? [],
    logger: options.logger ?? silentLogger,
  });
  const close = async () => {
    await kernel.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  const addresses = await kernel.start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const urlOf = (protocol: string) => {
    const found = addresses.find((address) => address.protocol === protocol);
    if (found === undefined) throw new Error(`Protocol "${protocol}" does not listen`);
    return found.url;
  };
  const url = addresses.find(({ protocol }) => protocol === 'http')?.url ?? '';
  return { kernel, url, urlOf, ask: (...request) => ask(url, ...request), close };
}

async function ask(
  url: string,
  method: string,
  path: string,
  body?: JsonValue,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestAnswer> {
  const init: RequestInit = { method, headers };
  if (body !== undefined) {
    init.headers = { 'content-type': 'application/json', ...headers };
    init.body = typeof body === 'string' ? body : JSON.stringify(body);
  }
  const response = await fetch(`${url}${path}`, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const envelope = isJson && text !== '' ? (JSON.parse(text) as JsonObject) : null;
  return { status: response.status, headers: response.headers, text, body: envelope };
}

async function memoryFolder(): Promise<string> {
  const isThere = await access('/dev/shm', constants.W_OK).then(
    () => true,
    () => false,
  );
  return isThere ? '/dev/shm' : tmpdir();
}
