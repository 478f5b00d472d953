import { h, type ComponentType } from 'preact';
import { Show } from './States.jsx';
import { useLoad } from './useLoad.js';

/**
 * A screen whose script is loaded when it is shown, so that the first load stays small.
 * @param load imports its module; the same function each time
 */
export function Lazy({ load }: { readonly load: () => Promise<ComponentType> }) {
  const screen = useLoad(async () => ({ Screen: await load() }), [load]);
  return (
    <Show loaded={screen} frame="page">
      {({ Screen }) => h(Screen, null)}
    </Show>
  );
}
