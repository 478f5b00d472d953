import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { onRefusal, run } from '../connection.js';
import { Rights, type Right } from './rights.js';

/** Between two readings that refusals cause. */
const PAUSE_MS = 3_000;

/**
 * The rights of the session, read again when an answer of the server contradicts them and when the page is looked at
 * again: roles change while it is open.
 * @returns the rights, and a function that reads them at once
 */
export function useFreshRights(rights: Rights): readonly [Rights, () => void] {
  const [read, setRead] = useState<{ readonly of: Rights; readonly rights: Rights }>();
  const readAtMs = useRef(-Infinity);
  const reread = useCallback(() => {
    readAtMs.current = performance.now();
    run<{ hits: Right[] }>('auth.getMyRights').then(
      ({ hits }) => setRead({ of: rights, rights: new Rights(hits) }),
      // Those read before stay: they are a guess in any case.
      () => undefined,
    );
  }, [rights]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onVisible = () => {
      if (document.visibilityState === 'visible') reread();
    };
    document.addEventListener('visibilitychange', onVisible);
    const endWatch = onRefusal(() => {
      clearTimeout(timer);
      timer = setTimeout(reread, Math.max(0, readAtMs.current + PAUSE_MS - performance.now()));
    });
    return () => {
      clearTimeout(timer);
      endWatch();
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [reread]);
  return [read?.of === rights ? read.rights : rights, reread];
}
