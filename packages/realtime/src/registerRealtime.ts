import { CONFIG, DOCUMENT_LISTENERS, NODE_LINK, SOLE_NODE } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { ChangeIntake } from './cluster/ChangeIntake.js';
import { ChangeOrder } from './cluster/ChangeOrder.js';
import { ChangeSharing } from './cluster/ChangeSharing.js';
import { RemoteRooms } from './cluster/RemoteRooms.js';
import { RoomSharing } from './cluster/RoomSharing.js';
import { REALTIME_CONFIG, type RealtimeConfig } from './config.js';
import { Delivery } from './Delivery.js';
import { DocumentNotifier } from './DocumentNotifier.js';
import { GapNotifier } from './GapNotifier.js';
import { MessagePublisher } from './MessagePublisher.js';
import { RoomTable } from './rooms/RoomTable.js';
import { SubscriptionBudget } from './rooms/SubscriptionBudget.js';
import { SessionEnds } from './sessions/SessionEnds.js';
import { SessionWatch } from './sessions/SessionWatch.js';
import { SubscriptionReview } from './sessions/SubscriptionReview.js';
import { Subscriptions } from './Subscriptions.js';
import { UserNotifier } from './UserNotifier.js';

/**
 * Registers the realtime services in a server's container, one of each, and makes them the document listeners of the
 * storage. Needs `SECURITY`, `CONTENT_RULES`, `NOTIFIERS`, `HOOKS`, `CLOCK`, `LOGGER` there, and `CONFIG` or
 * `REALTIME_CONFIG`.
 */
export function registerRealtime(container: DependencyContainer): void {
  if (!container.isRegistered(REALTIME_CONFIG, true)) {
    const config = container.resolve(CONFIG).section<RealtimeConfig>('realtime');
    container.registerInstance(REALTIME_CONFIG, config);
  }
  if (!container.isRegistered(NODE_LINK, true)) container.registerInstance(NODE_LINK, SOLE_NODE);
  container
    .registerSingleton(RemoteRooms)
    .registerSingleton(RoomSharing)
    .registerSingleton(ChangeSharing)
    .registerSingleton(ChangeOrder)
    .registerSingleton(ChangeIntake)
    .registerSingleton(GapNotifier)
    .registerSingleton(UserNotifier)
    .registerSingleton(SubscriptionBudget)
    .registerSingleton(RoomTable)
    .registerSingleton(Delivery)
    .registerSingleton(SessionWatch)
    .registerSingleton(Subscriptions)
    .registerSingleton(SubscriptionReview)
    .registerSingleton(SessionEnds)
    .registerSingleton(MessagePublisher)
    .registerSingleton(DocumentNotifier)
    .register(DOCUMENT_LISTENERS, { useToken: DocumentNotifier });
}
