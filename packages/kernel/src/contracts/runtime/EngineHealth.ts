/**
 * The state of an engine as health reports it. `degraded`: it answers reads, and something else fails or is in danger.
 * `down`: it does not answer.
 */
export interface EngineHealth {
  readonly state: 'up' | 'degraded' | 'down';
  /**
   * What is wrong, in one clause such as `writes fail: no space left on the device`. Callers without a login see it: no
   * path, address, name of a collection or id.
   */
  readonly reason?: string;
}
