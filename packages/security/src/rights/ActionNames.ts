/** Actions by controller. */
export type ActionNames = Readonly<Record<string, readonly string[]>>;

/** Whether some names contain an action. */
export function isOneOf(names: ActionNames, controller: string, action: string): boolean {
  return Object.hasOwn(names, controller) && names[controller]?.includes(action) === true;
}
