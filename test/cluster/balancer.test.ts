import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
// Examples are JavaScript.
// @ts-expect-error no declarations
import { Balancer as ExampleBalancer } from '../../examples/cluster/Balancer.mjs';

interface Ports {
  readonly http: number;
}
type BalancerClass = new (
  nodes: readonly object[],
  random: () => number,
) => { start(ports: object): Promise<Ports>; stop(): Promise<void> };
const Balancer = ExampleBalancer as BalancerClass;

/** The balancer of examples/cluster, in front of a node that answers with the hash of each body. */
let node: Server;
let balancer: InstanceType<BalancerClass>;
let url: string;
let deadPort: number;
const hashOf = (body: string) => createHash('sha256').update(body).digest('hex');

beforeEach(async () => {
  node = createServer((request, response) => {
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => hash.update(chunk));
    request.on('end', () => response.end(`${request.method} ${hash.digest('hex')}`));
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  // A port that was free a moment ago: connections to it are refused.
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  deadPort = (gone.address() as AddressInfo).port;
  await new Promise((resolve) => gone.close(resolve));
  const at = (port: number) => ({ host: '127.0.0.1', http: port, ws: port, fallback: port, mqtt: port });
  // The first node is drawn first, every time.
  balancer = new Balancer([at(deadPort), at((node.address() as AddressInfo).port)], () => 0);
  const { http } = await balancer.start({ http: 0, ws: 0, fallback: 0, mqtt: 0 });
  url = `http://127.0.0.1:${http}/`;
});

afterEach(async () => {
  await balancer.stop();
  node.closeAllConnections();
  node.close();
});

it.each([
  ['of some bytes', '{"title": "Emma"}'],
  ['of several megabytes', 'x'.repeat(5_000_000)],
])('sends a request with a body %s to another node where the first is dead', async (_, body) => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const response = await fetch(url, { method, body });
    expect(await response.text()).toBe(`${method} ${hashOf(body)}`);
  }
});

it('sends a request without a body to another node', async () => {
  expect(await (await fetch(url)).text()).toBe(`GET ${hashOf('')}`);
});

it('answers 503 where every node is dead', async () => {
  node.closeAllConnections();
  await new Promise((resolve) => node.close(resolve));
  const response = await fetch(url, { method: 'POST', body: '{}' });
  expect(response.status).toBe(503);
});
