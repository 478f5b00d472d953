#!/usr/bin/env node
// Holds a server under attack, one attack after the other, and measures an honest client meanwhile (README.md).
//   node test/faults/attack.mjs [--seconds 60] [--only name,name] [--json]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HonestClient } from './HonestClient.mjs';
import { ServerUnderTest } from './ServerUnderTest.mjs';

const NAMES = [
  'quiet',
  'anonymousBodies',
  'halfSentBodies',
  'halfSentCrowd',
  'abandonedSearches',
  'loginCrowd',
  'largeSubscriptions',
  'cursorPolls',
  'unreadAnswers',
  'oauthStarts',
  'largeKeyCommands',
  'jammedQueue',
  'refusedRequests',
  'idleConnections',
  'followedSearches',
  'heldStreams',
  'pipelinedRequests',
  'keptAnswers',
  'pollFloods',
  'unacknowledgedMessages',
  'unfinishedRequests',
  'wideQueries',
  'rerunSearches',
  'bucketDeltas',
];
const GOALS = { getMs: 250, loginMs: 2_000, healthMs: 100, rssBytes: 600_000_000 };
const MAX_SECONDS = 600;
const WARM_UP_MS = 2_000;
const SAMPLE_MS = 100;
/** How long answers are waited for after the attack. */
const LAST_ANSWERS_MS = 5_000;
/** Past these the server is killed: without the guard a failing server would take the whole machine's memory or disk. */
const GUARD_RSS_BYTES = 3_000_000_000;
const GUARD_LOG_BYTES = 1_000_000_000;
const MIB = 1_048_576;

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    only: { type: 'string', default: NAMES.join(',') },
    json: { type: 'boolean', default: false },
  },
});
const seconds = Number(flags.seconds);
const names = flags.only.split(',');
const unknown = names.filter((name) => !NAMES.includes(name));
if (!(seconds >= 1 && seconds <= MAX_SECONDS) || unknown.length > 0) {
  console.error(`attack: expected --seconds 1 to ${MAX_SECONDS}, --only of ${NAMES.join(', ')}`);
  process.exit(2);
}

/** What must end when this process is interrupted. */
const running = { server: undefined, child: undefined };
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    running.child?.kill('SIGKILL');
    void (running.server?.close() ?? Promise.resolve()).then(() => process.exit(130));
  });
}

const reports = [];
for (const name of names) {
  const report = await measure(name);
  reports.push(report);
  if (!flags.json) printAttack(report);
}
if (flags.json) console.log(JSON.stringify({ seconds, goals: GOALS, reports }, null, 2));
else printTable(reports);
process.exit(reports.every(({ failures }) => failures.length === 0) ? 0 : 1);

async function measure(name) {
  const { [name]: attack } = await import(`./attacks/${name}.mjs`);
  const server = new ServerUnderTest(attack);
  running.server = server;
  const honest = new HonestClient();
  try {
    await server.open();
    await honest.prepare(server);
    const prepared = await attack.prepare?.(server);
    // The attack meets a server that has not just imported its data.
    await server.stop();
    await server.start();
    await honest.start(server);
    const begun = await attack.before?.(honest, server);
    await sleep(WARM_UP_MS);
    honest.reset();
    server.resetPeak();
    const restingRssBytes = server.memory()?.rssBytes;
    const attacked = await runAttack({ name, server, prepared });
    await honest.finish(server.isAlive ? LAST_ANSWERS_MS : 0);
    const problem = server.isAlive
      ? await attack.check?.({ server, honest, begun }).catch((error) => error.message)
      : undefined;
    const peakRssBytes = Math.max(attacked.peakRssBytes, server.memory()?.peakBytes ?? 0);
    const report = {
      name,
      finding: attack.finding,
      ...attacked,
      peakRssBytes,
      restingRssBytes,
      honest: honest.summary(),
      isAlive: server.isAlive,
      end: attacked.guard ?? (server.isAlive ? undefined : `ended: ${server.exit}`),
      problem,
    };
    return { ...report, failures: failuresOf(report) };
  } finally {
    await server.close();
  }
}

/** Runs the attack in a separate process and samples the server's memory until it ends. */
async function runAttack({ name, server, prepared }) {
  const program = fileURLToPath(new URL('attackProcess.mjs', import.meta.url));
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  running.child = child;
  let result = { sentCount: NaN, answers: {}, note: 'the attacking process ended early' };
  let isOver = false;
  child.once('message', (message) => (result = message));
  const ended = once(child, 'exit').then(() => (isOver = true));
  child.send({ name, urls: server.urls, seconds, prepared });
  const startedMs = performance.now();
  const lateMs = startedMs + (seconds + 15) * 1000;
  const logBytes = server.logBytes();
  let peakRssBytes = 0;
  let guard;
  while (!isOver && performance.now() < lateMs) {
    const memory = server.memory();
    // An attack on a server that has ended proves no more.
    if (memory === undefined) break;
    peakRssBytes = Math.max(peakRssBytes, memory.rssBytes, memory.peakBytes);
    if (memory.rssBytes > GUARD_RSS_BYTES) guard = `killed at ${toMib(memory.rssBytes)} MiB`;
    if (server.logBytes() - logBytes > GUARD_LOG_BYTES) guard = 'killed: the log grew by 1 GB';
    if (guard !== undefined) {
      await server.kill();
      break;
    }
    await sleep(SAMPLE_MS);
  }
  const attackedSeconds = (performance.now() - startedMs) / 1000;
  if (!isOver && child.connected) child.send({ stop: true });
  const killer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(killer);
  return { ...result, peakRssBytes, guard, attackedSeconds };
}

function failuresOf({ honest, peakRssBytes, isAlive, end, problem, note }) {
  const { getWebsocket, getHttp, login, health } = honest;
  const errorCount = Object.values(honest).reduce((sum, probe) => sum + probe.errorCount, 0);
  const failures = [];
  const decide = (isMet, text) => {
    if (!isMet) failures.push(text);
  };
  decide(Math.max(getWebsocket.p99, getHttp.p99) < GOALS.getMs, 'get');
  decide(login.p99 < GOALS.loginMs, 'login');
  decide(health.p99 < GOALS.healthMs, 'healthCheck');
  decide(errorCount === 0, 'errors');
  decide(peakRssBytes < GOALS.rssBytes, 'RSS');
  decide(isAlive, end);
  decide(problem === undefined, problem);
  // An attack that failed, or sent too little, proves nothing: its row must not pass.
  decide(note === undefined, 'attack incomplete');
  return failures;
}

function printAttack({ name, answers, honest, note, end, attackedSeconds, restingRssBytes }) {
  const counts = Object.entries(answers).map(([answer, count]) => `${answer} × ${count}`);
  const errors = Object.entries(honest).flatMap(([kind, probe]) =>
    Object.entries(probe.errors).map(([message, count]) => `${kind}: ${message} × ${count}`),
  );
  console.log(`${name}: ${attackedSeconds.toFixed(1)} s, RSS before ${toMib(restingRssBytes)} MiB`);
  console.log(`  answers to the attack: ${counts.join(', ') || 'none'}`);
  if (errors.length > 0) console.log(`  honest errors: ${errors.join('; ')}`);
  for (const line of [note, end]) if (line !== undefined) console.log(`  ${line}`);
}

function printTable(rows) {
  const ms = (value) => (Number.isNaN(value) ? '–' : value.toFixed(value < 10 ? 1 : 0));
  const of = ({ p50, p99, max }) => `${ms(p50)}/${ms(p99)}/${ms(max)}`;
  const head = [
    'attack',
    'finding',
    'sent',
    'get WebSocket p50/p99/max ms',
    'get HTTP p50/p99/max ms',
    'login p99',
    'health p99',
    'stall',
    'errors',
    'peak RSS MiB',
    'alive',
    'result',
  ];
  const lines = rows.map(({ honest, ...row }) => [
    row.name,
    row.finding,
    String(row.sentCount),
    of(honest.getWebsocket),
    of(honest.getHttp),
    ms(honest.login.p99),
    ms(honest.health.p99),
    ms(honest.now.max),
    String(Object.values(honest).reduce((sum, probe) => sum + probe.errorCount, 0)),
    String(toMib(row.peakRssBytes)),
    row.isAlive ? 'yes' : 'no',
    row.failures.length === 0 ? 'pass' : `FAIL: ${row.failures.join(', ')}`,
  ]);
  const widths = head.map((title, n) => Math.max(title.length, ...lines.map((line) => line[n].length)));
  console.log();
  for (const line of [head, widths.map((width) => '-'.repeat(width)), ...lines]) {
    console.log(`| ${line.map((cell, n) => cell.padEnd(widths[n])).join(' | ')} |`);
  }
  const { getMs, loginMs, healthMs, rssBytes } = GOALS;
  console.log(
    `\nGoals: p99 of get < ${getMs} ms, of login < ${loginMs} ms, of healthCheck < ${healthMs} ms, RSS < ` +
      `${rssBytes / 1e6} MB, no honest request fails, the process lives.`,
  );
}

function toMib(bytes) {
  return Math.round(bytes / MIB);
}
