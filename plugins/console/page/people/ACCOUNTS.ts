import type { Fields } from '../connection.js';

/** The lists of the people screen. */
export type AccountKind = 'users' | 'profiles' | 'roles';

interface Account {
  readonly title: string;
  readonly one: string;
  readonly searchAction: string;
  readonly readAction: string;
  readonly createAction: string;
  readonly saveAction: string;
  readonly deleteAction: string;
  readonly columns: readonly (readonly [name: string, show: (source: Fields) => string])[];
  /** The content of a new one. */
  readonly example: Fields;
  readonly explanation: string;
}

const MAX_NAMES = 6;

function names(value: unknown): string {
  const list = Array.isArray(value) ? value.map(String) : [];
  return list.length > MAX_NAMES ? `${list.slice(0, MAX_NAMES).join(', ')}, … (${list.length})` : list.join(', ');
}

function keys(value: unknown): string {
  return names(typeof value === 'object' && value !== null ? Object.keys(value) : []);
}

/** What differs between users, profiles and roles. */
export const ACCOUNTS: Readonly<Record<AccountKind, Account>> = {
  users: {
    title: 'Users',
    one: 'user',
    searchAction: 'security.searchUsers',
    readAction: 'security.getUser',
    createAction: 'security.createUser',
    saveAction: 'security.updateUser',
    deleteAction: 'security.deleteUser',
    columns: [
      ['Profiles', ({ profileIds }) => names(profileIds)],
      ['Properties', ({ profileIds: _profiles, profileId: _first, suid: _suid, ...rest }) => names(Object.keys(rest))],
    ],
    example: { profileIds: ['default'], password: '' },
    explanation: 'A user has profiles. The password is never shown; enter one to change it.',
  },
  profiles: {
    title: 'Profiles',
    one: 'profile',
    searchAction: 'security.searchProfiles',
    readAction: 'security.getProfile',
    createAction: 'security.createProfile',
    saveAction: 'security.createOrReplaceProfile',
    deleteAction: 'security.deleteProfile',
    columns: [
      [
        'Roles',
        ({ policies }) =>
          names(Array.isArray(policies) ? policies.map((policy: { roleId?: string }) => policy.roleId ?? '') : []),
      ],
    ],
    example: { policies: [{ roleId: 'default' }] },
    explanation: 'A profile is a list of roles, each possibly restricted to some indexes and collections.',
  },
  roles: {
    title: 'Roles',
    one: 'role',
    searchAction: 'security.searchRoles',
    readAction: 'security.getRole',
    createAction: 'security.createRole',
    saveAction: 'security.createOrReplaceRole',
    deleteAction: 'security.deleteRole',
    columns: [
      ['Indexes', ({ indexes }) => keys(indexes)],
      ['Controllers', ({ controllers }) => keys(controllers)],
    ],
    example: { controllers: { document: { actions: { get: true, search: true, count: true } } } },
    explanation: 'A role says which actions are allowed, by controller, or by index and collection.',
  },
};
