import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localAuth } from '@millrace/auth-local';
import { adminConsole } from '@millrace/console';
import { silentLogger, type JsonObject, type JsonValue, type Plugin } from '@millrace/kernel';
import { websocket } from '@millrace/protocol-websocket';
import { Kernel } from '@millrace/server';
import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import { ConsolePage } from './ConsolePage.js';
import { openChromium } from './openChromium.js';
import { CONSOLE_ENGINES, openConsoleEngines, type ConsoleEngines, type EngineName } from './openConsoleEngines.js';

interface ConsoleServerOptions {
  /** Default: Elasticsearch with Redis where they are there. */
  readonly engine?: EngineName;
  /** Default: a free one. */
  readonly port?: number;
  /** In addition. @param dataDir for their files */
  readonly plugins?: (dataDir: string) => readonly Plugin[];
}

/** A server with the console in this process, and a browser. */
export class ConsoleServer {
  private readonly opened: ConsolePage[] = [];

  private constructor(
    private readonly kernel: Kernel,
    private readonly engines: ConsoleEngines,
    private readonly dataDir: string,
    readonly browser: Browser,
    readonly url: string,
  ) {}

  static async start({
    engine = CONSOLE_ENGINES.at(-1) ?? 'embedded',
    port = 0,
    plugins = () => [],
  }: ConsoleServerOptions = {}): Promise<ConsoleServer> {
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-console-'));
    const engines = await openConsoleEngines(engine);
    const kernel = new Kernel({
      config: { http: { port }, server: { dataDir }, ...engines.config },
      plugins: [localAuth(), websocket({ port: 0 }), adminConsole({ enabled: true }), ...plugins(dataDir)],
      logger: silentLogger,
    });
    const addresses = await kernel.start();
    const url = addresses.find(({ protocol }) => protocol === 'http')?.url ?? '';
    return new ConsoleServer(kernel, engines, dataDir, await openChromium(), url);
  }

  /** Stops both. Errors of scripts, violations of the policy and requests to other origins fail the file. */
  async stop(): Promise<void> {
    await this.browser.close();
    await this.kernel.stop();
    await this.engines.close();
    await rm(this.dataDir, { recursive: true, force: true });
    expect(this.opened.flatMap(({ problems }) => problems)).toEqual([]);
  }

  /** Runs an action as an administrator, within this process. */
  answer(action: string, fields: JsonObject): Promise<{ readonly error: unknown; readonly result: unknown }> {
    const [controller = '', name = ''] = action.split('.');
    const user = { _id: 'test', profileIds: ['admin'] } as never;
    return this.kernel.execute({ ...fields, controller, action: name }, { user });
  }

  /** As `answer`. @returns the result of an action that succeeds */
  async run<R extends JsonValue = JsonObject>(action: string, fields: JsonObject = {}): Promise<R> {
    const { error, result } = await this.answer(action, fields);
    expect(error).toBeNull();
    return result as R;
  }

  async open(options?: Parameters<typeof ConsolePage.open>[2]): Promise<ConsolePage> {
    const page = await ConsolePage.open(this.browser, this.url, options);
    this.opened.push(page);
    return page;
  }
}
