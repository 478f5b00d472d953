/**
 * The state of an engine for health checks. `degraded`: it answers reads, but something else fails or is at risk.
 * `down`: it doesn't answer.
 */
export interface EngineHealth {
  readonly state: 'up' | 'degraded' | 'down';
  /**
   * The problem in one clause, such as `writes fail: no space left on the device`. Visible without a login: no path,
   * address, collection name or id.
   */
  readonly reason?: string;
}
