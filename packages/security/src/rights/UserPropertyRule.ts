/**
 * Which properties of users conditions may read: those that administrators alone write
 * (`security.protectedProperties`), in addition to `_id` and `profileIds`. Users choose all others, so a condition on
 * them would be a right that users give themselves.
 */
export interface UserPropertyRule {
  readonly protectedProperties: readonly string[];
  /**
   * Called for a condition that reads another property; the condition then never holds.
   * @param path of the condition in its role
   * @throws where the role is being written
   */
  onUnprotected(path: string, property: string): void;
}

const ALWAYS_READABLE = ['_id', 'profileIds'];

/** The name of the property that a path reads against the rule; undefined where it reads none. */
export function unprotectedProperty(
  paths: readonly string[],
  { protectedProperties }: UserPropertyRule,
): string | undefined {
  for (const path of paths) {
    if (!path.startsWith('user.')) continue;
    const [name = ''] = path.slice('user.'.length).split('.', 1);
    if (!ALWAYS_READABLE.includes(name) && !protectedProperties.includes(name)) return name;
  }
  return undefined;
}
