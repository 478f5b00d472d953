import type { RoomEffect } from './WatchedChange.js';
import type { VisibleChange } from '../toNotification.js';

/** What a change is for rooms whose members may see a part of the documents: one notification for all of them. */
export interface LimitedChange extends VisibleChange {
  readonly effect: RoomEffect;
  readonly roomIds: string[];
}
