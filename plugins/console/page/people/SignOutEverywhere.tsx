import { useState } from 'preact/hooks';
import { client, run } from '../connection.js';
import { Confirm } from '../kit/Confirm.jsx';
import { useLoad } from '../kit/useLoad.js';
import { useSession } from '../shell/Session.js';

/** Ends all sessions of a user. @param userId undefined: of the user who is signed in, this one included */
export function SignOutEverywhere({ userId }: { readonly userId?: string }) {
  const { rights } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [note, setNote] = useState('');
  const token = useLoad(() => client.session.peek(), []);
  const isOwn = userId === undefined;
  const isByKey = token.value?.startsWith('mr_') === true;
  if (!isOwn && !rights.mayAnywhere('security.revokeTokens')) return null;
  return (
    <section class="stack tight" aria-label="Sessions">
      <h3>Sessions</h3>
      {isOwn && isByKey ? (
        <p class="soft">You are signed in with an API key, which is no session: delete the key to end it.</p>
      ) : (
        <div class="row spread">
          <p class="soft">Ends all sessions, on every device. API keys stay.</p>
          <button type="button" class="danger-text" onClick={() => setOpen(true)}>
            Sign out everywhere…
          </button>
        </div>
      )}
      <p class="soft small" role="status">
        {note}
      </p>
      {isOpen && (
        <Confirm
          title="Sign out everywhere?"
          verb="Sign out everywhere"
          onClose={() => setOpen(false)}
          onConfirm={async () => {
            if (isOwn) {
              await run('auth.logout', { everywhere: true });
              await client.session.set(null);
              return;
            }
            await run('security.revokeTokens', { _id: userId });
            setNote('All sessions have ended.');
          }}
        >
          <p>
            {isOwn ? 'You sign in again on each device, and here.' : 'The user signs in again on each device.'} API keys
            stay valid.
          </p>
        </Confirm>
      )}
    </section>
  );
}
