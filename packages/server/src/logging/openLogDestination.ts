import { pino, type DestinationStream } from 'pino';

/** Bytes of lines that wait for a slow disk or reader; further lines are dropped, so that requests never wait for the log. */
const MAX_WAITING_BYTES = 8_388_608;

/**
 * Opens a file or descriptor for log lines, which are written in the background. A line about the number of dropped
 * lines follows as soon as lines can be written again.
 */
export function openLogDestination(dest: number | string): DestinationStream {
  const destination = pino.destination({ dest, sync: false, maxLength: MAX_WAITING_BYTES });
  let droppedCount = 0;
  destination.on('drop', () => droppedCount++);
  destination.on('drain', () => {
    if (droppedCount === 0) return;
    const line = { level: 40, time: Date.now(), pid: process.pid, droppedCount };
    droppedCount = 0;
    destination.write(`${JSON.stringify({ ...line, msg: 'log lines were dropped' })}\n`);
  });
  return destination;
}
