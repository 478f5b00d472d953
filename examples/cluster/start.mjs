#!/usr/bin/env node
// Three nodes, Redis and Elasticsearch on this machine without containers, behind a small load balancer.
//   node examples/cluster/start.mjs [--elasticsearch http://127.0.0.1:9200] [--nodes 3] [--base-port 7511] [-- flags of nodes]
// The balancer listens on the base port (HTTP) and the next three (fallback, WebSocket, MQTT); without one, on the usual ports.
import { parseArgs } from 'node:util';
import { LocalCluster } from './LocalCluster.mjs';

const { values, positionals } = parseArgs({
  options: {
    elasticsearch: { type: 'string' },
    'elasticsearch-port': { type: 'string', default: '9220' },
    nodes: { type: 'string', default: '3' },
    'base-port': { type: 'string' },
  },
  allowPositionals: true,
});
const base = values['base-port'] === undefined ? undefined : Number(values['base-port']);
const ports = base === undefined ? {} : { http: base, fallback: base + 1, ws: base + 2, mqtt: base + 3 };

const cluster = new LocalCluster();
let isStopping = false;
const stop = async () => {
  if (isStopping) return;
  isStopping = true;
  await cluster.stop();
};
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void stop());

try {
  await cluster.start({
    nodeCount: Number(values.nodes),
    ports,
    elasticsearch: values.elasticsearch,
    elasticsearchPort: Number(values['elasticsearch-port']),
    flags: positionals,
  });
  const { http, ws, fallback, mqtt } = cluster.ports;
  console.log(`
${cluster.nodes.length} nodes, at random behind
  http://127.0.0.1:${http}   ws://127.0.0.1:${ws}   fallback http://127.0.0.1:${fallback}   mqtt://127.0.0.1:${mqtt}

Each node alone:
${cluster.nodes.map(({ part, ports: own }) => `  http://127.0.0.1:${own.http}  (process ${part.pid})`).join('\n')}

Try: curl http://127.0.0.1:${http}/_healthCheck
Kill a node and see that the others go on. Stop everything with Ctrl+C.
`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
  await stop();
}
