import type { PresenceList, SubscribeOptions } from '@millrace/client/realtime';
import type { LiveState } from './LiveView.js';
import { useView } from './useView.js';
import { presenceView, type LiveCollection } from './views.js';

/**
 * The users in the room of a filter, earliest first; the user of this page is one of them. It needs the right
 * `realtime.presence`.
 * @param presence what others see of the user in addition to the id; at most 1,024 bytes of JSON
 */
export function usePresence<T>(
  collection: LiveCollection<T>,
  filter: object = {},
  presence: NonNullable<SubscribeOptions['presence']> = {},
): LiveState<PresenceList> {
  return useView(presenceView(collection, filter, presence));
}
