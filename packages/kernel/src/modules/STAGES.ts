/**
 * The order in which components start; they stop in reverse order. `engine`: storage and memory store. `receiver`:
 * handles messages of other nodes, so it starts before the `link` that delivers them. `service`: the server's own
 * services. `plugin`: services of plugins. `background`: work that depends on all others.
 */
export const STAGES = ['engine', 'receiver', 'link', 'service', 'plugin', 'background'] as const;

/** The stage in which a component starts. */
export type Stage = (typeof STAGES)[number];
