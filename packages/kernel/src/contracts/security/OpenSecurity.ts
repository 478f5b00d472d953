import type { Request } from '../request/Request.js';
import { authErrors } from './errors.js';
import type { Security } from './Security.js';
import type { Identity } from './Session.js';
import { ANONYMOUS } from './User.js';

/**
 * Allows everything to everyone: the security of a kernel without a security service. It knows no tokens, so it refuses
 * every presented token rather than treat its bearer as anonymous.
 */
export class OpenSecurity implements Security {
  authenticate(request: Request): Identity {
    if (request.token !== null) {
      throw authErrors.invalid_token({ reason: 'this server issues no tokens, send none' });
    }
    return { user: request.connection.user ?? ANONYMOUS, session: null };
  }

  authorize(): void {}

  authorizeTarget(): void {}

  isAllowed(): boolean {
    return true;
  }

  userOf(): null {
    return null;
  }

  adminExists(): boolean {
    return false;
  }

  isOpen(): boolean {
    return true;
  }
}
