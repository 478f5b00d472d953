/* The configurations of docs/guide/sign-in-recipes.md: a server starts with each, and has its strategy. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { installedPlugins } from '@millrace/server';
import { startKernel } from '../startKernel.js';
import { createCertificate } from '../tls/createCertificate.js';

const GUIDE = readFileSync(new URL('../../docs/guide/sign-in-recipes.md', import.meta.url), 'utf8');
const certificate = readFileSync(createCertificate('idp.example.com').certFile, 'utf8');
const CONFIGURATIONS = [...GUIDE.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) => {
  const filledIn = text.replace('"MIIC…"', JSON.stringify(certificate));
  const config = JSON.parse(filledIn) as Record<string, { providers?: JsonObject }>;
  const [name = ''] = Object.values(config).flatMap(({ providers = {} }) => Object.keys(providers));
  return { name, config };
});

describe('docs/guide/sign-in-recipes.md', () => {
  it('has a configuration for each provider', () => {
    expect(CONFIGURATIONS.map(({ name }) => name)).toEqual(['google', 'github', 'company', 'microsoft', 'okta']);
  });

  it.each(CONFIGURATIONS)('$name is a strategy of a server with its configuration', async ({ name, config }) => {
    const server = await startKernel({ plugins: await installedPlugins(), config });
    try {
      const { body } = await server.ask('GET', '/strategies');
      expect(body.result).toContain(name);
      // The return address that the page says to enter at the provider; SAML posts to it.
      expect(GUIDE).toContain(`https://app.example.com/api/1.0/_login/${name}`);
    } finally {
      await server.close();
    }
  });

  it.each(['github', 'okta'])('%s: the first step leads to the provider', async (name) => {
    const { config = {} } = CONFIGURATIONS.find((each) => each.name === name) ?? {};
    const server = await startKernel({ plugins: await installedPlugins(), config });
    try {
      const response = await fetch(`${server.url}/_login/${name}`, { redirect: 'manual' });
      expect(response.status).toBe(302);
      const host = name === 'github' ? 'github.com' : 'example.okta.com';
      expect(new URL(response.headers.get('location') ?? '').host).toBe(host);
    } finally {
      await server.close();
    }
  });
});
