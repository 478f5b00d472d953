import { run } from '../connection.js';
import { useLoad } from '../kit/useLoad.js';
import { useSession } from '../shell/Session.js';

/** A screen that a plugin declares with its files. */
export interface DeclaredScreen {
  /** Of its files: `/_shop`. */
  readonly path: string;
  readonly title: string;
  /** What it may run: `document.search`, or `shop.*`. */
  readonly actions: readonly string[];
}

type Information = { readonly serverInfo: Readonly<Record<string, { readonly screens?: readonly DeclaredScreen[] }>> };

/** The screens of plugins; none until they are known, or if the user may not read them. */
export function useScreens(): readonly DeclaredScreen[] | undefined {
  const { rights, userId } = useSession();
  const mayRead = rights.mayAnywhere('server.info');
  const { value } = useLoad(async () => {
    if (!mayRead) return [];
    const { serverInfo } = await run<Information>('server.info');
    return Object.values(serverInfo).flatMap(({ screens = [] }) => screens);
  }, [userId, mayRead]);
  return value;
}
