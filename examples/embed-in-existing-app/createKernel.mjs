// The kernel of these examples: nothing listens on a separate port, everything is kept in one folder.
import { websocket } from '@millrace/protocol-websocket';
import { Kernel } from '@millrace/server';

export function createKernel(dataDir = process.env.DATA_DIR ?? './data') {
  return new Kernel({
    config: {
      server: { dataDir },
      http: { listen: false },
      websocket: { listen: false },
      log: { level: 'warn' },
    },
    plugins: [websocket()],
  });
}
