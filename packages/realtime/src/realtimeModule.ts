import { DOCUMENT_LISTENERS, FOLLOW_STATISTICS, SENT_CURSORS, type Module } from '@millrace/kernel';
import { ChangeIntake } from './cluster/ChangeIntake.js';
import { RoomSharing } from './cluster/RoomSharing.js';
import { realtimeConfig } from './config.js';
import { FollowBudget } from './follow/FollowBudget.js';
import { EXECUTE, type Execute } from './follow/FollowedSearch.js';
import { DocumentNotifier } from './DocumentNotifier.js';
import { WaitingPolls } from './polls/WaitingPolls.js';
import { Names } from './names/Names.js';
import { realtimeActions } from './realtimeActions.js';
import { registerRealtime } from './registerRealtime.js';
import { DeliveredPosition } from './resume/DeliveredPosition.js';
import { SessionEnds } from './sessions/SessionEnds.js';
import { SessionWatch } from './sessions/SessionWatch.js';
import { SubscriptionReview } from './sessions/SubscriptionReview.js';

/** Rooms, channels and notifications. Observes the writes of the storage. */
export const realtimeModule: Module = {
  name: 'realtime',
  config: { realtime: realtimeConfig },
  setup(host) {
    const own = host.services.createChildContainer();
    registerRealtime(own);
    own.registerInstance<Execute>(EXECUTE, (fields, options) => host.execute(fields, options));
    host.services.register(DOCUMENT_LISTENERS, { useFactory: () => own.resolve(DocumentNotifier) });
    host.services.register(FOLLOW_STATISTICS, { useFactory: () => own.resolve(FollowBudget) });
    host.services.register(SENT_CURSORS, { useFactory: () => own.resolve(DeliveredPosition) });
    host.actions(() => realtimeActions(own));
    host.component('shared rooms', () => own.resolve(RoomSharing), 'receiver');
    host.component('named subscriptions', () => own.resolve(Names), 'receiver');
    host.component('shared changes', () => own.resolve(ChangeIntake), 'receiver');
    host.component('session watch', () => own.resolve(SessionWatch));
    host.component('review of subscriptions', () => own.resolve(SubscriptionReview));
    host.component('waiting polls', () => own.resolve(WaitingPolls));
    host.component('ends of sessions', () => own.resolve(SessionEnds));
  },
};
