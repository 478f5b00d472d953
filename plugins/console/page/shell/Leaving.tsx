import { useEffect, useState } from 'preact/hooks';
import { Confirm } from '../kit/Confirm.jsx';
import { onLeave, type Leave } from './route.js';

/** The question before changes that are not saved are lost, on whichever screen. */
export function Leaving() {
  const [leave, setLeave] = useState<Leave>();
  useEffect(() => onLeave(setLeave), []);
  if (leave === undefined) return null;
  return (
    <Confirm
      title="Discard your changes?"
      verb="Discard"
      onClose={() => setLeave(undefined)}
      onConfirm={async () => leave.go()}
    >
      <p>
        You have changed <bdi>{leave.name}</bdi>, and not saved it.
      </p>
    </Confirm>
  );
}
