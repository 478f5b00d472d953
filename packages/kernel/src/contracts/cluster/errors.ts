import { defineErrors } from '../../errors/defineErrors.js';

/** Errors between nodes of a cluster. */
export const clusterErrors = defineErrors('cluster', {
  unavailable: {
    status: 503,
    message: (p: { reason: string }) => `The cluster is unavailable: ${p.reason}`,
  },
  unreachable: {
    status: 503,
    message: (p: { nodeId: string }) => `Node ${p.nodeId} of the cluster does not answer`,
  },
  refused: { status: 503, message: (p: { reason: string }) => p.reason },
});
