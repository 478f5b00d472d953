import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { readDescriptorLimit } from '../readDescriptorLimit.js';
import { checkBackups } from './checkBackups.js';
import { checkDataDirectory } from './checkDataDirectory.js';
import { checkElasticsearch } from './checkElasticsearch.js';
import { checkEntrypoints } from './checkEntrypoints.js';
import { checkProcess } from './checkProcess.js';
import { checkRedis } from './checkRedis.js';
import { checkSecrets } from './checkSecrets.js';
import { checkTls } from './checkTls.js';
import type { DoctorContext, Finding } from './Finding.js';

/** Examines a valid configuration and everything it refers to. Changes nothing. */
export async function examine(context: DoctorContext): Promise<readonly Finding[]> {
  const { findings: data, isInUse } = await checkDataDirectory(context);
  return [
    ...examineProcess(),
    ...data,
    ...(await checkEntrypoints(context, isInUse)),
    ...(await checkTls(context)),
    ...(await checkSecrets(context)),
    ...(await checkRedis(context)),
    ...(await checkElasticsearch(context)),
    ...(await checkBackups(context)),
  ];
}

/** What can be examined without a configuration. */
export function examineProcess(): readonly Finding[] {
  return checkProcess({
    nodeVersion: process.version,
    descriptors: readDescriptorLimit(),
    heapLimit: getHeapStatistics().heap_size_limit,
    memoryLimit: memoryLimit(),
  });
}

/** That of the container, if there is one. */
function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}
