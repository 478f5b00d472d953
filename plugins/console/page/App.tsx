import { useCallback, useEffect } from 'preact/hooks';
import { Actions } from './actions/Actions.jsx';
import { client } from './connection.js';
import { DataScreen } from './documents/DataScreen.jsx';
import { Failed, Loading } from './kit/States.jsx';
import { useLoad } from './kit/useLoad.js';
import { People } from './people/People.jsx';
import { Realtime } from './realtime/Realtime.jsx';
import { ServerScreen } from './server/ServerScreen.jsx';
import { navigate, useRoute } from './shell/route.js';
import { readSession, SessionProvider, useSession } from './shell/Session.js';
import { Shell } from './shell/Shell.jsx';
import { SignIn } from './start/SignIn.jsx';
import { FirstAdministrator } from './start/FirstAdministrator.jsx';

/** The console: the sign-in, or the screens of the user. */
export function App() {
  const { value, error, reload } = useLoad(readSession, []);
  const again = useCallback(reload, []);
  // The session ends on its own when the token expires or is revoked.
  useEffect(() => client.session.onTokenChange((token) => token === null && again()), []);
  if (error !== undefined) {
    return (
      <main class="gate">
        <Failed error={error} retry={again} />
      </main>
    );
  }
  if (value === undefined) {
    return (
      <main class="gate">
        <Loading />
      </main>
    );
  }
  return (
    <SessionProvider value={{ ...value, reload: again }}>
      <Gate />
    </SessionProvider>
  );
}

function Gate() {
  const { hasAdmin, isAnonymous, rights } = useSession();
  const isOpen = rights.may('document.search');
  if (!hasAdmin && !isOpen) {
    return (
      <main>
        <FirstAdministrator needsToken />
      </main>
    );
  }
  if (hasAdmin && isAnonymous) return <SignIn />;
  return (
    <Shell>
      <Screen />
    </Shell>
  );
}

function Screen() {
  const { path } = useRoute();
  const { hasAdmin } = useSession();
  const [screen] = path;
  useEffect(() => {
    if (screen === undefined) navigate([hasAdmin ? 'data' : 'start'], {}, { replaces: true });
  }, [screen, hasAdmin]);
  switch (screen) {
    case 'start':
      return <FirstAdministrator />;
    case 'actions':
      return <Actions />;
    case 'people':
      return <People />;
    case 'realtime':
      return <Realtime />;
    case 'server':
      return <ServerScreen />;
    default:
      return <DataScreen />;
  }
}
