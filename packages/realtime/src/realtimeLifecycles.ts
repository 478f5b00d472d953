import type { Lifecycle } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { ChangeIntake } from './cluster/ChangeIntake.js';
import { RoomSharing } from './cluster/RoomSharing.js';
import { SessionEnds } from './sessions/SessionEnds.js';
import { SessionWatch } from './sessions/SessionWatch.js';
import { SubscriptionReview } from './sessions/SubscriptionReview.js';

/** What a server starts after its security, and stops before it, under the name for its log. */
export function realtimeLifecycles(
  container: DependencyContainer,
): readonly { readonly name: string; readonly part: Lifecycle }[] {
  return [
    { name: 'session watch', part: container.resolve(SessionWatch) },
    { name: 'review of subscriptions', part: container.resolve(SubscriptionReview) },
    { name: 'ends of sessions', part: container.resolve(SessionEnds) },
  ];
}

/** What a server starts before its link to other nodes: it says what is to be done with what they send. */
export function realtimeSharing(
  container: DependencyContainer,
): readonly { readonly name: string; readonly part: Lifecycle }[] {
  return [
    { name: 'shared rooms', part: container.resolve(RoomSharing) },
    { name: 'shared changes', part: container.resolve(ChangeIntake) },
  ];
}
