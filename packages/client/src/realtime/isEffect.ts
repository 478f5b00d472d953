import type { RealtimeEvent } from './RealtimeEvent.js';

/** Whether an event is the effect of all missed changes of a document, which has no position (RESUME-12). */
export function isEffect(event: RealtimeEvent<unknown>): boolean {
  return event.kind !== 'gap' && event.replayed && event.cursor === undefined;
}
