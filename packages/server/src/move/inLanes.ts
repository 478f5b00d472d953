/** Works on several items at a time. @throws the first error, when no work is under way any more */
export async function inLanes<T>(
  items: AsyncIterable<T>,
  laneCount: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const run = async (): Promise<void> => {
    try {
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) await work(next.value);
    } catch (error) {
      // Ends the other lanes.
      await iterator.return?.();
      throw error;
    }
  };
  for (const lane of await Promise.allSettled(Array.from({ length: laneCount }, run)))
    if (lane.status === 'rejected') throw lane.reason as Error;
}
