/** Actions by controller. */
export type ActionNames = Readonly<Record<string, readonly string[]>>;
