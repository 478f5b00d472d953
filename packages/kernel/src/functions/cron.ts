import type { ScheduledRun, ScheduleTime } from '../plugins/Schedule.js';
import { contextOf, type FunctionContext } from './FunctionContext.js';
import { serverFunction, type ServerFunction } from './ServerFunction.js';

/**
 * Runs a function on a schedule, on one node of a cluster at a time.
 * @param time a cron pattern in UTC such as `0 6 * * 1-5`, `{ cron, timeZone }`, or `{ every: '10m' }`
 * @param run a throw is logged, and its next run comes. After the death of a node a run may happen twice.
 */
export function cron(
  time: string | ScheduleTime,
  run: (run: ScheduledRun, context: FunctionContext) => unknown,
): ServerFunction {
  if (!['string', 'object'].includes(typeof time) || typeof run !== 'function')
    throw new TypeError("expected cron('0 6 * * *', (run, context) => …)");
  return serverFunction('cron', (host, { file, name }) =>
    host.schedule(toScheduleName(`${file}-${name}`), typeof time === 'string' ? { cron: time } : time, (each) =>
      run(each, contextOf(host)),
    ),
  );
}

/** `reports-sendAll` → `reports-send-all`. */
function toScheduleName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/_/g, '-')
    .toLowerCase();
}
