import { useSyncExternalStore } from 'react';
import type { LiveState, LiveView } from './LiveView.js';

/** Shows a view, and keeps it up to date while it is shown. */
export function useView<D>(view: LiveView<D>): LiveState<D> {
  return useSyncExternalStore(view.subscribe, view.getSnapshot, view.getSnapshot);
}
