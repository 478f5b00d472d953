import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificate } from '../tls/createCertificate.js';
import { startKernel, type StartedKernel } from '../startKernel.js';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const FILES = ['Dockerfile', 'millrace.service', 'kubernetes/millrace.yaml', 'healthcheck.mjs'];
const MAX_EXPOSURE = 2;

describe('examples/deploy', () => {
  let server: StartedKernel;
  beforeAll(async () => {
    server = await startKernel();
  });
  afterAll(() => server.close());

  it.each(FILES)('%s names environment variables that exist', (file) => {
    const known = read('docs/reference/configuration.md');
    const named = new Set(read(`examples/deploy/${file}`).match(/MILLRACE_[A-Z_]+/g));
    // The argument of the build.
    named.delete('MILLRACE_VERSION');
    const unknown = [...named].filter(
      (name) => !known.includes(`\`${name}\``) && !known.includes(`\`${name.replace(/_FILE$/, '')}\``),
    );
    expect(named.size).toBeGreaterThan(0);
    expect(unknown).toEqual([]);
  });

  it('probes pages of the server', async () => {
    const paths = read('examples/deploy/kubernetes/millrace.yaml').match(/(?<=path: )\/\w+/g);
    expect(paths).toEqual(['/startupz', '/livez', '/readyz']);
    for (const path of paths ?? []) expect((await server.ask('GET', path)).status).toBe(200);
  });

  it('uses the ports of the configuration', () => {
    const known = read('docs/reference/configuration.md');
    const ports = read('examples/deploy/kubernetes/millrace.yaml').match(/(?<=containerPort: )\d+/g);
    expect(ports).toEqual(['7511', '7512', '7513', '1883']);
    for (const port of ports ?? []) {
      expect(known.includes(`| \`${port}\` |`)).toBe(true);
      expect(read('examples/deploy/Dockerfile')).toMatch(new RegExp(`^EXPOSE .*\\b${port}\\b`, 'm'));
    }
  });

  it('checks the health of the servers of compose.yaml by that program', () => {
    const compose = read('compose.yaml');
    const [, server = ''] = /^x-millrace: &millrace\n((?: .*\n)+)/m.exec(compose) ?? [];
    expect(server).toContain('test: [CMD, node, examples/deploy/healthcheck.mjs]');
    const merged = compose.match(/<<: \*(?:millrace|node)\b|node-\d: \*node\b/g);
    expect(merged).toHaveLength(5);
  });

  it('checks the health of a container by a program that notices both outcomes', async () => {
    const script = fileURLToPath(new URL('examples/deploy/healthcheck.mjs', root));
    const check = (port: string, more: Record<string, string> = {}) =>
      promisify(execFile)(process.execPath, [script], {
        env: { MILLRACE_HTTP_PORT: port, ...more },
      });
    await check(new URL(server.url).port);
    await expect(check('1')).rejects.toMatchObject({ code: 1 });
    const { certFile, keyFile } = createCertificate('example.com');
    const encrypted = await startKernel({
      config: { http: { port: 0, tls: { certFile, keyFile } } },
    });
    try {
      const { port } = new URL(encrypted.url);
      await expect(check(port)).rejects.toMatchObject({ code: 1 });
      await check(port, { MILLRACE_HTTP_TLS_CERT_FILE: certFile });
    } finally {
      await encrypted.close();
    }
  });

  it('shows metrics that the server has, and every one of them', async () => {
    const { text } = await server.ask('GET', '/_metrics');
    const dashboard = JSON.parse(read('examples/deploy/grafana/millrace.json')) as {
      readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
    };
    const names = dashboard.panels
      .flatMap(({ targets }) => targets.flatMap(({ expr }) => expr.match(/[a-z]+_[a-z_]+(?=\{)/g)))
      .map((name) => name?.replace(/_bucket$/, ''));
    const served = text.match(/(?<=^# TYPE )\w+/gm) ?? [];
    expect(served.length).toBeGreaterThan(10);
    expect([...new Set(names)].sort()).toEqual([...served].sort());
  });

  it('lists every metric on the page of metrics, whose alert rules name no other', async () => {
    const { text } = await server.ask('GET', '/_metrics');
    const served = new Set(text.match(/(?<=^# TYPE )\w+/gm) ?? []);
    const page = read('docs/guide/metrics.md');
    const list = page.slice(page.indexOf('## All metrics'), page.indexOf('## What to watch'));
    expect([...served].filter((name) => !list.includes(`\`${name}\``))).toEqual([]);
    const rules = page.slice(page.indexOf('groups:'), page.indexOf('`up` is'));
    const named = rules.match(/\bmillrace_\w+/g)?.map((name) => name.replace(/_bucket$/, '')) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !served.has(name))).toEqual([]);
  });

  it('hardens the unit of systemd', (context) => {
    const unit = fileURLToPath(new URL('examples/deploy/millrace.service', root));
    const { status, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unit], {
      encoding: 'utf8',
    });
    if (status !== 0) return context.skip('needs systemd-analyze 250 or later');
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
    expect(Number(exposure)).toBeLessThanOrEqual(MAX_EXPOSURE);
  });
});
