import { websocket } from '@millrace/protocol-websocket';
import type { Logger } from '@millrace/kernel';
import { startSecured, type SecuredServer } from '../security/securedServer.js';
import { connectClients, type TestClients, type TestedEngine } from './TestServer.js';

/** A server with an administrator, and clients of it. */
export type SecuredTestServer = Omit<SecuredServer, 'close'> & Omit<TestClients, 'close'> & { close(): Promise<void> };

export async function openSecured(engine: TestedEngine, logger?: Logger): Promise<SecuredTestServer> {
  const server = await startSecured(
    { storage: await engine(), websocket: { port: 0 } },
    { plugins: [websocket()], ...(logger === undefined ? undefined : { logger }) },
  );
  const clients = await connectClients(server.started);
  return {
    ...server,
    call: clients.call,
    connect: clients.connect,
    close: async () => {
      clients.close();
      await server.close();
    },
  };
}
