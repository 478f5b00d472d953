import { defineAction, route, type ActionDefinition, type JsonObject } from '@millrace/kernel';
import type { ProfileCatalog } from '../roles/ProfileCatalog.js';
import type { Profile } from '../roles/Profile.js';
import type { ProfileStore } from '../roles/ProfileStore.js';
import type { RightsLists } from '../RightsLists.js';
import type { StoredRecord } from '../store/RightsStore.js';
import { recordActions } from './recordActions.js';
import { securityArguments } from './securityArguments.js';
import { securitySchemas } from './securitySchemas.js';
import { termsSearch } from '../store/termsSearch.js';
import { toHitList } from './toHitList.js';

const { _id, ids, policies, from, size } = securityArguments;
const READING = { controller: 'security', args: {}, writes: false } as const;

/** Actions on profiles. */
export function profileActions(
  catalog: ProfileCatalog,
  store: ProfileStore,
  rights: RightsLists,
): readonly ActionDefinition[] {
  const toHit = ({ id, content }: StoredRecord<Profile>): JsonObject => ({
    _id: id,
    _source: store.rights.toBody(content),
  });
  return [
    ...recordActions({
      catalog,
      store,
      name: 'Profile',
      summaries: {
        update: 'Replaces the policies of a profile.',
        delete: 'Deletes a profile that no user has.',
        get: 'Gives a profile.',
      },
      routes: { delete: route('DELETE /_profiles/:_id'), get: route('GET /_profiles/:_id') },
      schemas: {
        content: securitySchemas.profileInput,
        change: securitySchemas.profileInput,
        written: securitySchemas.writtenProfile,
        updated: securitySchemas.updatedProfile,
        stored: securitySchemas.storedProfile,
      },
    }),
    defineAction({
      ...READING,
      action: 'getProfileRights',
      summary: 'Lists the rights that a profile gives.',
      routes: [route('GET /_profiles/:_id/_rights')],
      args: { _id },
      result: securitySchemas.rights,
      run: async ({ args }) => {
        const profile = await store.get(args._id);
        return { hits: await rights.ofPolicies(profile.content.policies) };
      },
    }),
    defineAction({
      ...READING,
      action: 'mGetProfiles',
      summary: 'Gives several profiles.',
      routes: [route('POST /profiles/_mget')],
      args: { ids },
      result: securitySchemas.profiles,
      run: async ({ args }) => {
        const hits = (await store.getMany(args.ids)).map(toHit);
        return { hits, total: hits.length };
      },
    }),
    defineAction({
      ...READING,
      action: 'searchProfiles',
      lists: 'profiles',
      summary: 'Searches profiles by the roles of their policies.',
      routes: [route('POST /profiles/_search')],
      args: { policies, from, size },
      result: securitySchemas.foundProfiles,
      queue: 'search',
      run: async ({ request, args }) => {
        const search = termsSearch({ policies: args.policies ?? [] }, args);
        const { records, total } = await store.search(search, { signal: request.signal });
        return toHitList(records.map(toHit), total);
      },
    }),
  ];
}
