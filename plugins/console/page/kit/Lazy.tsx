import { h, type ComponentType } from 'preact';
import { Show } from './States.jsx';
import { useLoad } from './useLoad.js';

/**
 * A screen, or a part of one, whose script is loaded when it is shown, so that the first load stays small.
 * @param load imports its module; the same function each time
 * @param frame `page` for a whole screen
 */
export function Lazy<P = object>({
  load,
  frame,
  ...properties
}: { readonly load: () => Promise<ComponentType<P>>; readonly frame?: 'page' } & P) {
  const part = useLoad(async () => ({ Part: await load(), load }), [load]);
  // Another part may take the place of this one: until it is loaded, the last one would get its properties.
  const value = part.value?.load === load ? part.value : undefined;
  return (
    <Show loaded={{ ...part, value }} frame={frame}>
      {({ Part }) => h(Part, properties as never)}
    </Show>
  );
}
