// A server with a plugin that never stops; its only argument is the data folder.
import { definePlugin } from '@millrace/kernel';
import { runProcess } from '@millrace/server';

const plugin = definePlugin({
  name: 'hangs',
  kernel: '*',
  setup: (host) =>
    host.onStop(() => {
      console.log('The plugin is asked to stop');
      return new Promise(() => setInterval(() => undefined, 1_000));
    }),
});
const flags = ['--http.port', '0', '--server.stopTimeoutMs', '60000', '--server.dataDir'];
await runProcess([...flags, process.argv[2]], { plugins: [plugin] });
