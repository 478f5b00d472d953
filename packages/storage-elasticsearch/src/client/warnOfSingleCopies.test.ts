import { silentLogger } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { warnOfSingleCopies } from './warnOfSingleCopies.js';

/** The warnings for a cluster with this number of data nodes; undefined: Elasticsearch does not respond. */
async function warnings(dataNodes: number | undefined, replicas: number): Promise<readonly object[]> {
  const lines: object[] = [];
  const log = { ...silentLogger, warn: (fields: object) => void lines.push(fields) };
  const ask = async <T>(): Promise<T> => {
    if (dataNodes === undefined) throw new Error('no answer');
    return { number_of_data_nodes: dataNodes } as T;
  };
  await warnOfSingleCopies({ ask }, replicas, log);
  return lines;
}

describe('warnOfSingleCopies', () => {
  it('warns where several data nodes keep one copy', async () => {
    expect(await warnings(3, 0)).toEqual([{ dataNodes: 3 }]);
  });

  it('is silent on one data node, with replicas, and without an answer', async () => {
    expect(await warnings(1, 0)).toEqual([]);
    expect(await warnings(3, 1)).toEqual([]);
    expect(await warnings(undefined, 0)).toEqual([]);
  });
});
