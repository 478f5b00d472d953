import type { WindowHit } from './WindowHit.js';

/**
 * One step from a window to the next (FOLLOW-5). Positions count from 0, in the window as the steps before have left it.
 */
export type HitChange =
  | { readonly op: 'remove'; readonly id: string }
  | { readonly op: 'insert'; readonly at: number; readonly hit: WindowHit }
  | { readonly op: 'move'; readonly at: number; readonly id: string; readonly hit: WindowHit }
  | { readonly op: 'update'; readonly at: number; readonly hit: WindowHit };
