import type { TestedEngine } from './TestServer.js';
import { describeAccounts } from './describeAccounts.js';
import { describeBodies } from './describeBodies.js';
import { describeCollections } from './describeCollections.js';
import { describeDocuments } from './describeDocuments.js';
import { describeMappings } from './describeMappings.js';
import { describeExplain } from './describeExplain.js';
import { describeIdempotency } from './describeIdempotency.js';
import { describeMetadata } from './describeMetadata.js';
import { describeMultiDocuments } from './describeMultiDocuments.js';
import { describeNotifications } from './describeNotifications.js';
import { describeOpenServer } from './describeOpenServer.js';
import { describePreconditions } from './describePreconditions.js';
import { describeQueryActions } from './describeQueryActions.js';
import { describeRefresh } from './describeRefresh.js';
import { describeRights } from './describeRights.js';

/** Checks of the decisions on documents, accounts and notifications, over HTTP and WebSocket. */
export function describeDecisions(engine: TestedEngine): void {
  describeDocuments(engine);
  describeMultiDocuments(engine);
  describeMappings(engine);
  describeMetadata(engine);
  describeCollections(engine);
  describeRefresh(engine);
  describeQueryActions(engine);
  describeExplain(engine);
  describePreconditions(engine);
  describeIdempotency(engine);
  describeBodies(engine);
  describeOpenServer(engine);
  describeAccounts(engine);
  describeRights(engine);
  describeNotifications(engine);
}
