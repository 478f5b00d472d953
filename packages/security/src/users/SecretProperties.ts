import {
  securityErrors,
  STRATEGIES,
  type AuthStrategy,
  type JsonObject,
  type JsonValue,
} from '@millrace/kernel';
import { inject, injectable } from 'tsyringe';

/** Credentials made ready to be stored, by strategy. */
export type PreparedCredentials = ReadonlyMap<string, JsonObject>;

/**
 * The properties of a user's body that installed strategies take for credentials, such as `password`. Where no strategy
 * takes one, users need none.
 */
@injectable()
export class SecretProperties {
  constructor(@inject(STRATEGIES) private readonly strategies: ReadonlyMap<string, AuthStrategy>) {}

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

  /** Makes what is stored of the secrets given. @throws what the strategy refuses them with (400) */
  async prepare(
    secrets: ReadonlyMap<string, JsonValue>,
    userId: string,
  ): Promise<PreparedCredentials> {
    const prepared = new Map<string, JsonObject>();
    for (const { property, strategy } of this.owners()) {
      const value = secrets.get(property);
      if (value === undefined || strategy.credentials === undefined) continue;
      const stored = await strategy.credentials.prepare({ [property]: value }, { _id: userId });
      prepared.set(strategy.name, stored);
    }
    return prepared;
  }

  private owners(): readonly { readonly property: string; readonly strategy: AuthStrategy }[] {
    return [...this.strategies.values()].flatMap((strategy) => {
      const property = strategy.credentials?.userProperty;
      return property === undefined ? [] : [{ property, strategy }];
    });
  }
}
