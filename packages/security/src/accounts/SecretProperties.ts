import {
  securityErrors,
  STRATEGIES,
  type AuthStrategy,
  type JsonObject,
  type JsonValue,
  type StrategyCredentials,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from '../Actor.js';
import { FirstAdminMarker } from '../FirstAdminMarker.js';
import { LoginLimits } from '../limits/LoginLimits.js';

/** Credentials prepared for storage, by strategy. */
export type PreparedCredentials = ReadonlyMap<string, JsonObject>;

/**
 * Properties of a user's body that installed strategies consume as credentials, such as `password`. If no strategy
 * consumes one, users need none.
 */
@scoped(Scope.ContainerScoped)
export class SecretProperties {
  constructor(
    @inject(STRATEGIES) private readonly strategies: ReadonlyMap<string, AuthStrategy>,
    @inject(LoginLimits) private readonly limits: LoginLimits,
    @inject(FirstAdminMarker) private readonly firstAdmin: FirstAdminMarker,
  ) {}

  /** Names of these properties. */
  get names(): ReadonlySet<string> {
    return new Set(this.owners().map(({ property }) => property));
  }

  /** @throws security.invalid_user (400) if a property that every new user needs is missing */
  assertComplete(secrets: ReadonlyMap<string, JsonValue>): void {
    for (const { property, strategy } of this.owners()) {
      if (secrets.has(property)) continue;
      const reason = `${property} is missing: strategy "${strategy.name}" needs it for every new user`;
      throw securityErrors.invalid_user({ reason });
    }
  }

  /**
   * Converts the given secrets to their stored form.
   * @throws errors of the strategy for invalid secrets (400); errors of prepareFor
   */
  async prepare(secrets: ReadonlyMap<string, JsonValue>, userId: string, actor: Actor): Promise<PreparedCredentials> {
    const prepared = new Map<string, JsonObject>();
    for (const { property, strategy } of this.owners()) {
      const value = secrets.get(property);
      if (value === undefined || strategy.credentials === undefined) continue;
      const given = { [property]: value };
      prepared.set(strategy.name, await this.prepareFor(strategy.credentials, given, userId, actor));
    }
    return prepared;
  }

  /**
   * Converts one strategy's secrets: the only code path that hashes a new password. Administrators aren't limited, so
   * that they can import users; callers aren't limited before the first administrator either, since everything is
   * allowed then.
   * @throws auth.too_many_logins (429)
   */
  async prepareFor(
    credentials: StrategyCredentials,
    given: JsonObject,
    userId: string,
    actor: Actor,
  ): Promise<JsonObject> {
    const isLimited = !actor.isAdministrator && (await this.firstAdmin.exists());
    if (isLimited) this.limits.takeHash(actor.remoteAddress, actor.userId);
    return credentials.prepare(given, { _id: userId }, actor.signal);
  }

  private owners(): readonly { readonly property: string; readonly strategy: AuthStrategy }[] {
    return [...this.strategies.values()].flatMap((strategy) => {
      const property = strategy.credentials?.userProperty;
      return property === undefined ? [] : [{ property, strategy }];
    });
  }
}
