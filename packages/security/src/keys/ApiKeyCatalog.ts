import {
  CLOCK,
  documentErrors,
  isError,
  retryOnConflict,
  securityErrors,
  type Clock,
  type JsonObject,
  type MaybePromise,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Audit } from '../Audit.js';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { ProfileCatalog } from '../roles/ProfileCatalog.js';
import { toPolicyBodies } from '../roles/parseProfile.js';
import { termsSearch, type PageArguments } from '../store/termsSearch.js';
import { parseTimeSpan } from '../tokens/parseTimeSpan.js';
import { UserStore } from '../users/UserStore.js';
import { ApiKeyDeletion } from './ApiKeyDeletion.js';
import { hashOfSecret, type ApiKeyContent, type LoadedApiKey } from './ApiKeyRecord.js';
import { ApiKeyStore, keysOf } from './ApiKeyStore.js';
import { ApiKeyUses } from './ApiKeyUses.js';
import { formatApiKey, isApiKeyId, newApiKeyId, newApiKeySecret } from './parseApiKey.js';
import { parseNewApiKey } from './parseNewApiKey.js';

/** The acting user of a new or rotated key. */
export interface KeyAuthor {
  readonly id: string;
  /** @throws security.forbidden (403), auth.login_needed (401) unless the user may have keys that never expire */
  readonly assertMayBePermanent: () => MaybePromise<void>;
}

/** Creates, lists, rotates and deletes the API keys of users (KEY-1 to KEY-3, KEY-7). */
@scoped(Scope.ContainerScoped)
export class ApiKeyCatalog {
  constructor(
    @inject(ApiKeyStore) private readonly store: ApiKeyStore,
    @inject(ApiKeyUses) private readonly uses: ApiKeyUses,
    @inject(ApiKeyDeletion) private readonly deletion: ApiKeyDeletion,
    @inject(UserStore) private readonly users: UserStore,
    @inject(ProfileCatalog) private readonly profiles: ProfileCatalog,
    @inject(Audit) private readonly audit: Audit,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {}

  /**
   * @returns `{_id, key, name, expiresAt}`, the only answer with the key
   * @throws security.invalid_api_key, security.invalid_profile (400), security.forbidden (403), security.user_not_found
   *   (404), security.too_many_api_keys (412)
   */
  async create(author: KeyAuthor, userId: string, body: JsonObject): Promise<JsonObject> {
    const { id: by } = author;
    const { name, policies, expiresAtMs: asked, allowedAddresses } = parseNewApiKey(body);
    const createdAtMs = this.clock.nowMs();
    const expiresAtMs = this.expiry(asked, createdAtMs);
    if (expiresAtMs === null) await author.assertMayBePermanent();
    if (policies !== null) await this.profiles.assertReferences({ policies, rateLimit: null });
    const secret = newApiKeySecret();
    const key = await this.users.inTurn(userId, async () => {
      const { suid } = await this.users.get(userId);
      await this.makeRoom(userId, by);
      const created = await this.insert({
        userId,
        suid,
        name,
        policies,
        allowedAddresses,
        createdAtMs,
        createdBy: by,
        expiresAtMs,
        lifeMs: expiresAtMs === null ? null : expiresAtMs - createdAtMs,
        hash: hashOfSecret(secret),
        serial: 1,
        replaced: null,
      });
      // Another node may have deleted the user, and all keys that it found.
      const owner = await this.users.reload(userId);
      if (owner?.suid === suid) return created;
      await this.store.delete(created.id);
      throw securityErrors.user_not_found({ userId });
    });
    this.audit.apiKeyChanged({ keyId: key.id, userId, change: 'created', by });
    return toNewKey(key, secret);
  }

  /** @returns `{hits, total}`, by id @throws security.user_not_found (404), query.window_too_large (400) */
  async search(userId: string, page: PageArguments, signal?: AbortSignal): Promise<JsonObject> {
    await this.users.get(userId);
    const { records, total } = await this.store.search(termsSearch({ userId: [userId] }, page), { signal });
    const usedAtMs = await this.uses.read(records.map(({ id }) => id));
    return { hits: records.map((key) => toHit(key, usedAtMs.get(key.id) ?? null)), total };
  }

  /** @throws security.api_key_not_found (404) */
  async delete(userId: string, keyId: string, by: string): Promise<void> {
    await this.users.inTurn(userId, async () => {
      const key = await this.keyOf(userId, keyId);
      if (!(await this.deletion.delete(key, by))) throw notFound(keyId);
    });
  }

  /**
   * Gives a key a new secret and, if it expires, its first life again.
   * @param graceMs how long the present secret stays valid; absent: the configured time, which is also the most
   * @returns as `create` @throws security.api_key_not_found (404), security.invalid_api_key (400), security.forbidden (403)
   */
  async rotate(
    author: KeyAuthor,
    userId: string,
    keyId: string,
    graceMs = this.config.apiKeys.rotationGraceMs,
  ): Promise<JsonObject> {
    const { rotationGraceMs } = this.config.apiKeys;
    if (graceMs > rotationGraceMs) {
      const reason = `graceMs: expected at most ${rotationGraceMs} (security.apiKeys.rotationGraceMs), got ${graceMs}`;
      throw securityErrors.invalid_api_key({ reason });
    }
    const secret = newApiKeySecret();
    const rotated = await this.users.inTurn(userId, () =>
      retryOnConflict(async () => {
        const key = await this.keyOf(userId, keyId);
        if (key.lifeMs === null) await author.assertMayBePermanent();
        const content = this.rotated(key, hashOfSecret(secret), graceMs);
        await this.store.put(keyId, content, key.version);
        return content;
      }),
    );
    this.audit.apiKeyChanged({ keyId, userId, change: 'rotated', by: author.id });
    return toNewKey(rotated, secret);
  }

  private rotated(key: LoadedApiKey, hash: string, graceMs: number): ApiKeyContent {
    const nowMs = this.clock.nowMs();
    const endsAtMs = Math.min(nowMs + graceMs, key.expiresAtMs ?? Infinity);
    return {
      ...key,
      expiresAtMs: key.lifeMs === null ? null : nowMs + Math.min(key.lifeMs, this.maxLifeMs),
      hash,
      serial: key.serial + 1,
      replaced: endsAtMs > nowMs ? { hash: key.hash, endsAtMs } : null,
    };
  }

  private async insert(content: Omit<ApiKeyContent, 'id'>): Promise<ApiKeyContent> {
    for (;;) {
      const key = { ...content, id: newApiKeyId() };
      try {
        await this.store.put(key.id, key, 'absent');
        return key;
      } catch (error) {
        if (!isError(error, documentErrors.already_exists)) throw error;
      }
    }
  }

  /** The key as stored now. */
  private async keyOf(userId: string, keyId: string): Promise<LoadedApiKey> {
    const key = isApiKeyId(keyId) ? await this.store.reload(keyId) : null;
    if (key?.userId !== userId) throw notFound(keyId);
    return key;
  }

  /** A program that creates a key for each of its runs doesn't have to delete the expired ones. */
  private async makeRoom(userId: string, by: string): Promise<void> {
    const { maxPerUser: limit } = this.config.apiKeys;
    if ((await this.store.count(keysOf(userId))) < limit) return;
    const nowMs = this.clock.nowMs();
    for await (const key of this.store.scan(keysOf(userId))) {
      if ((key.expiresAtMs ?? Infinity) <= nowMs) await this.deletion.delete(key, by);
    }
    if ((await this.store.count(keysOf(userId))) >= limit) {
      throw securityErrors.too_many_api_keys({ userId, limit });
    }
  }

  private expiry(asked: number | null | undefined, nowMs: number): number | null {
    if (asked === null) return null;
    const lifeMs = (parseTimeSpan(this.config.apiKeys.expiresIn) ?? 0) * 1_000;
    if (asked === undefined) return nowMs + Math.min(lifeMs, this.maxLifeMs);
    if (asked > nowMs && asked - nowMs <= this.maxLifeMs) return asked;
    const reason = `expiresAt: expected a time in the future, at most ${this.config.apiKeys.maxTTL} ahead (security.apiKeys.maxTTL), or null for never, got ${asked}`;
    throw securityErrors.invalid_api_key({ reason });
  }

  private get maxLifeMs(): number {
    return (parseTimeSpan(this.config.apiKeys.maxTTL) ?? 0) * 1_000;
  }
}

function toNewKey({ id, name, expiresAtMs }: ApiKeyContent, secret: string): JsonObject {
  return { _id: id, key: formatApiKey({ id, secret }), name, expiresAt: expiresAtMs };
}

function toHit(key: LoadedApiKey, lastUsedAt: number | null): JsonObject {
  const { id, name, policies, expiresAtMs, createdAtMs, allowedAddresses } = key;
  return {
    _id: id,
    name,
    policies: policies && toPolicyBodies(policies),
    ...(allowedAddresses && { allowedAddresses }),
    expiresAt: expiresAtMs,
    lastUsedAt,
    createdAt: createdAtMs,
  };
}

function notFound(keyId: string): Error {
  return securityErrors.api_key_not_found({ keyId: keyId.slice(0, 100) });
}
