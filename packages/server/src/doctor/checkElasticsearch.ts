import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { importOptional } from '../imports/importOptional.js';
import { firstLine } from '../imports/importProblems.js';
import { objectAt } from '../valueAt.js';
import { checkClock } from './checkClock.js';
import { fault, ok, warning, type DoctorContext, type Finding } from './Finding.js';

const TIMEOUT_MS = 5_000;
const VERSIONS = ['8', '9'];

interface ElasticsearchSection {
  readonly node: string;
  readonly username: string;
  readonly password: string;
  readonly apiKey: string;
  readonly tlsCa: string;
  readonly tlsRejectUnauthorized: boolean;
}

/** Elasticsearch, if the configuration uses it: reachable, of a known version, healthy, with the same time. */
export async function checkElasticsearch({ config }: DoctorContext): Promise<readonly Finding[]> {
  const { engine, elasticsearch } = config.section<{
    engine: string;
    elasticsearch: ElasticsearchSection;
  }>('storage');
  if (engine !== 'elasticsearch') return [];
  const isClustered = config.section<{ enabled: boolean }>('cluster').enabled;
  const findings: Finding[] = isClustered ? [] : [await checkChangeLog()];
  for (const node of elasticsearch.node.split(',')) findings.push(...(await checkNode(node.trim(), elasticsearch)));
  return findings;
}

/** One server on Elasticsearch records changes with a package that may be absent. */
async function checkChangeLog(): Promise<Finding> {
  const id = 'change-log';
  const loaded = await importOptional('@millrace/cluster', () => import('@millrace/cluster'));
  if (loaded !== undefined) return ok(id, 'changes are recorded in server.dataDir');
  return warning(id, 'no change log: subscriptions are not resumed', 'npm install @millrace/cluster');
}

async function checkNode(node: string, section: ElasticsearchSection): Promise<readonly Finding[]> {
  try {
    const about = await get(node, '/', section);
    const health = await get(node, '/_cluster/health', section);
    const before = Date.now();
    const stats = await get(node, '/_nodes/_local/stats/os', section);
    const tookMs = Date.now() - before;
    const [own] = Object.values(objectAt(stats, 'nodes'));
    const now = isJsonObject(own) ? Number(own['timestamp']) : Number.NaN;
    return [
      checkVersion(objectAt(about, 'version')['number']),
      checkHealth(health),
      ...(Number.isNaN(now) ? [] : [checkClock('clock-elasticsearch', 'Elasticsearch', now, tookMs)]),
    ];
  } catch (error) {
    // The address may contain a password.
    const saw = `storage.elasticsearch.node: ${firstLine(error)}`;
    const mend = 'Start Elasticsearch, or set storage.elasticsearch to its address (http or https), login and tlsCa';
    return [fault('elasticsearch-unreachable', saw, mend)];
  }
}

function checkVersion(version: JsonValue | undefined): Finding {
  const text = typeof version === 'string' ? version : 'unknown';
  const saw = `Elasticsearch ${text}`;
  if (VERSIONS.includes(text.split('.')[0] ?? '')) return ok('elasticsearch-version', saw);
  return fault('elasticsearch-version', saw, `Use Elasticsearch ${VERSIONS.join(' or ')}`);
}

function checkHealth({ status }: JsonObject): Finding {
  const id = 'elasticsearch-health';
  const saw = `the health of Elasticsearch is ${JSON.stringify(status ?? null)}`;
  const mend = 'See GET _cluster/allocation/explain on Elasticsearch';
  if (status === 'red') return fault(id, saw, mend);
  return status === 'yellow' ? warning(id, saw, mend) : ok(id, saw);
}

async function get(node: string, path: string, section: ElasticsearchSection): Promise<JsonObject> {
  const url = new URL(node);
  const { username, password, apiKey, tlsCa, tlsRejectUnauthorized } = section;
  const login = `${username || decodeURIComponent(url.username)}:${password || decodeURIComponent(url.password)}`;
  const basic = login === ':' ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  const authorization = apiKey === '' ? basic : `ApiKey ${apiKey}`;
  const options = {
    timeout: TIMEOUT_MS,
    headers: authorization === undefined ? {} : { authorization },
    ...(tlsCa !== '' && { ca: tlsCa }),
    rejectUnauthorized: tlsRejectUnauthorized,
  };
  const target = `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}${path}`;
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const body = await new Promise<string>((resolve, reject) => {
    const request = send(target, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        if (response.statusCode !== 200) reject(new Error(`${path} was answered ${response.statusCode}`));
        else resolve(text);
      });
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    request.on('error', reject);
    request.end();
  });
  try {
    return JSON.parse(body) as JsonObject;
  } catch (error) {
    throw new Error(`${path} was answered by something else: no JSON`, { cause: error });
  }
}
