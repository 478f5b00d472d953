import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  silentLogger,
  type JsonObject,
  type JsonValue,
  type Logger,
  type Plugin,
} from '@millrace/kernel';
import { Kernel } from '@millrace/server';

/** What a test kernel is made of. Everything has a default. */
export interface TestKernelOptions {
  readonly plugins?: readonly Plugin[];
  /** As for `new Kernel`; ports are free ones unless given. */
  readonly config?: JsonObject;
  /** Default: silence. */
  readonly logger?: Logger;
}

/** An answer over HTTP. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The envelope; null where the answer is no JSON. */
  readonly body: JsonObject | null;
}

/** A started kernel. */
export interface TestKernel {
  readonly kernel: Kernel;
  /** Of HTTP, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Of another protocol, such as `ws://127.0.0.1:40124`. @throws where that doesn't listen */
  urlOf(protocol: string): string;
  /** A request over HTTP; what is no text is sent as JSON. */
  ask(
    method: string,
    path: string,
    body?: JsonValue,
    headers?: Readonly<Record<string, string>>,
  ): Promise<TestAnswer>;
  /** Stops the kernel and removes its data. */
  close(): Promise<void>;
}

/**
 * Starts a real server for a test, in this process: on free ports, with an empty store of its own that is kept in memory
 * where the system has a file system there (Linux), else in the folder for temporary files.
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
