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

/** Credentials made ready to be stored, by strategy. */
export type PreparedCredentials = ReadonlyMap<string, JsonObject>;

/**
 * The properties of a user's body that installed strategies take for credentials, such as `password`. Where no strategy
 * takes one, users need none.
 */
@scoped(Scope.ContainerScoped)
export class SecretProperties {
  constructor(
    @inject(STRATEGIES) private readonly strategies: ReadonlyMap<string, AuthStrategy>,
    @inject(LoginLimits) private readonly limits: LoginLimits,
    @inject(FirstAdminMarker) private readonly firstAdmin: FirstAdminMarker,
  ) {}

  /** Their names. */
  get names(): ReadonlySet<string> {
    return new Set(this.owners().map(({ property }) => property));
  }

  /** @throws security.invalid_user (400) where one is missing that every new user needs */
  assertComplete(secrets: ReadonlyMap<string, JsonValue>): void {
    for (const { property, strategy } of this.owners()) {
      if (secrets.has(property)) continue;
      const reason = `${property} is missing: strategy "${strategy.name}" needs it for every new user`;
      throw securityErrors.invalid_user({ reason });
    }
  }

  /**
   * Makes what is stored of the secrets given.
   * @throws what the strategy refuses them with (400); as `prepareFor`
   */
  async prepare(
    secrets: ReadonlyMap<string, JsonValue>,
    userId: string,
    actor: Actor,
  ): Promise<PreparedCredentials> {
    const prepared = new Map<string, JsonObject>();
    for (const { property, strategy } of this.owners()) {
      const value = secrets.get(property);
      if (value === undefined || strategy.credentials === undefined) continue;
      const given = { [property]: value };
      prepared.set(
        strategy.name,
        await this.prepareFor(strategy.credentials, given, userId, actor),
      );
    }
    return prepared;
  }

  /**
   * The same for one strategy: the only way to a hash of a new password. Administrators aren't limited, so that users can
   * be imported; neither is anybody before there is one, since everything is allowed then anyway.
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
