import { clusterErrors } from './errors.js';
import type { NodeLink } from './NodeLink.js';

/** No-op link of a server without a cluster: messages go nowhere, barriers need no wait. */
export const SOLE_NODE: NodeLink = {
  nodeId: 'sole',
  isClustered: false,
  hasOthers: () => false,
  others: () => [],
  isCurrent: () => true,
  send: () => undefined,
  announce: () => undefined,
  confirmed: () => undefined,
  settled: () => undefined,
  synced: () => undefined,
  receive: () => undefined,
  answer: () => undefined,
  ask: (nodeId) => Promise.reject(clusterErrors.unreachable({ nodeId })),
  observe: () => undefined,
  describe: () => ({ state: 'up', nodes: 1 }),
};
