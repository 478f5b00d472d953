import { Empty } from '../kit/States.jsx';
import { useSession } from '../shell/Session.js';
import { ApiKeys } from './ApiKeys.jsx';
import { SignOutEverywhere } from './SignOutEverywhere.jsx';

/** The account of the user who is signed in. */
export function OwnAccount() {
  const { userId, isAnonymous, rights } = useSession();
  if (isAnonymous) {
    return (
      <Empty title="You are not signed in">
        <p class="soft">This server is open: create the administrator first.</p>
      </Empty>
    );
  }
  return (
    <div class="page narrow">
      <h1>
        <bdi>{userId}</bdi>
      </h1>
      <div class="card">
        <SignOutEverywhere />
      </div>
      {rights.mayAnywhere('auth.searchApiKeys') ? (
        <ApiKeys />
      ) : (
        <p class="notice" data-state="no-right">
          Your roles give you no API keys: an administrator can add the actions <code>auth.searchApiKeys</code> and{' '}
          <code>auth.createApiKey</code> to one of them.
        </p>
      )}
    </div>
  );
}
