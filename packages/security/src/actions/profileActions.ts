import { defineAction, route, type ActionDefinition, type JsonObject } from '@millrace/kernel';
import { actorOf } from '../Actor.js';
import type { ProfileCatalog } from '../profiles/ProfileCatalog.js';
import { toBody, type ProfileStore, type StoredProfile } from '../profiles/ProfileStore.js';
import type { RightsTable } from '../RightsTable.js';
import { securityArguments } from './securityArguments.js';
import { securitySchemas } from './securitySchemas.js';
import { toHitList } from './toHitList.js';
import { toWriteResult } from './toWriteResult.js';

const { _id, newId, ids, policies, from, size } = securityArguments;
const SECURITY = { controller: 'security', args: {} } as const;
const READING = { ...SECURITY, writes: false } as const;
const WRITING = { ...SECURITY, writes: true } as const;

/** Dependencies of the profile actions. */
export interface ProfileParts {
  readonly profiles: ProfileCatalog;
  readonly store: ProfileStore;
  readonly rights: RightsTable;
}

/** Actions on profiles. */
export function profileActions(parts: ProfileParts): readonly ActionDefinition[] {
  const { profiles, store } = parts;
  const result = (stored: StoredProfile): JsonObject => ({
    ...toWriteResult(store.name, { ...stored, source: sourceOf(stored) }),
    ...(stored.warnings === undefined ? undefined : { warnings: stored.warnings }),
  });
  return [
    defineAction({
      ...WRITING,
      action: 'createProfile',
      summary: 'Creates a profile; 409 when it exists.',
      routes: [route('POST /profiles/:_id/_create')],
      args: { _id: newId },
      bodyRequired: true,
      content: securitySchemas.profileInput,
      result: securitySchemas.writtenProfile,
      run: async ({ request, args, body }) =>
        result(await profiles.create(args._id, body, actorOf(request))),
    }),
    defineAction({
      ...WRITING,
      action: 'createOrReplaceProfile',
      summary: 'Creates or replaces a profile.',
      routes: [route('PUT /profiles/:_id'), route('PUT /profiles/:_id/_createOrReplace')],
      args: { _id: newId },
      bodyRequired: true,
      content: securitySchemas.profileInput,
      result: securitySchemas.writtenProfile,
      run: async ({ request, args, body }) =>
        result(await profiles.createOrReplace(args._id, body, actorOf(request))),
    }),
    defineAction({
      ...WRITING,
      action: 'updateProfile',
      summary: 'Replaces the policies of a profile.',
      routes: [route('POST /profiles/:_id')],
      args: { _id },
      bodyRequired: true,
      content: securitySchemas.profileInput,
      result: securitySchemas.updatedProfile,
      run: async ({ request, args, body }) =>
        result(await profiles.update(args._id, body, actorOf(request))),
    }),
    defineAction({
      ...WRITING,
      action: 'deleteProfile',
      summary: 'Deletes a profile that no user has.',
      routes: [route('DELETE /_profiles/:_id')],
      args: { _id },
      result: securitySchemas.deleted,
      run: async ({ request, args }) => {
        await profiles.delete(args._id, actorOf(request));
        return { _id: args._id };
      },
    }),
    ...readingActions(parts),
  ];
}

function readingActions({ store, rights }: ProfileParts): readonly ActionDefinition[] {
  return [
    defineAction({
      ...READING,
      action: 'getProfile',
      summary: 'Gives a profile.',
      routes: [route('GET /_profiles/:_id')],
      args: { _id },
      result: securitySchemas.storedProfile,
      run: async ({ args }) => toHit(await store.get(args._id)),
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
        return { hits: (await rights.ofPolicies(profile.policies)).items() };
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
        const { hits, total } = await store.search(args.policies ?? [], args, request.signal);
        return toHitList(hits.map(toHit), total);
      },
    }),
  ];
}

function sourceOf({ policies: list }: StoredProfile): JsonObject {
  return { policies: toBody(list) };
}

function toHit(stored: StoredProfile): JsonObject {
  return { _id: stored.id, _source: sourceOf(stored) };
}
