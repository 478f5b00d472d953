import { localAuth } from '@millrace/auth-local';
import type { JsonObject, Logger, Plugin } from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';

/** The first administrator's password. */
export const PASSWORD = 'a-Password-of-mine';

/** A server that is locked down, on a port known before it starts. */
export interface LoginServer extends StartedKernel {
  /** By protocol. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Answers of the administrator's requests; they must succeed. */
  asAdmin(method: string, path: string, body?: unknown): Promise<JsonObject>;
}

/** Starts a server with a first administrator. */
export async function openServer(options: {
  readonly port: number;
  readonly plugins: readonly Plugin[];
  readonly config?: JsonObject;
  readonly logger?: Logger;
}): Promise<LoginServer> {
  const { port, plugins, config, logger } = options;
  const started = await startKernel({
    plugins: [localAuth(), ...plugins],
    config: { http: { port }, ...config },
    ...(logger === undefined ? undefined : { logger }),
  });
  const addresses = Object.fromEntries((await started.kernel.start()).map(({ protocol, url }) => [protocol, url]));
  const created = await started.ask('POST', '/users/root/_createFirstAdmin', {
    password: PASSWORD,
  });
  if (created.status !== 200) throw new Error(created.text);
  const login = await started.ask('POST', '/_login', { username: 'root', password: PASSWORD });
  const { jwt } = login.body.result as { readonly jwt: string };
  const asAdmin = async (method: string, path: string, body?: unknown) => {
    const answer = await started.ask(method, path, body, { authorization: `Bearer ${jwt}` });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.result as JsonObject;
  };
  return { ...started, addresses, asAdmin };
}
