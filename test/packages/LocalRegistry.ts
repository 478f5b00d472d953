import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface PackedPackage {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly bytes: Buffer;
}

/**
 * The npm registry as it will be once our packages are published: it has them from their tarballs, and sends npm to the
 * real one for everything else.
 */
export class LocalRegistry {
  private readonly packages = new Map<string, PackedPackage>();
  private server: Server | undefined;
  private url = '';

  constructor(private readonly upstream: string) {}

  async add(tarball: string): Promise<void> {
    const text = execFileSync('tar', ['xzOf', tarball, 'package/package.json'], {
      encoding: 'utf8',
    });
    const manifest = JSON.parse(text) as PackedPackage['manifest'];
    this.packages.set(manifest.name, { manifest, bytes: await readFile(tarball) });
  }

  async start(): Promise<string> {
    const server = createServer(({ url = '/' }, response) => {
      const path = decodeURIComponent(url.split('?')[0] ?? '').slice(1);
      const [name = ''] = path.split('/-/');
      const found = this.packages.get(name);
      if (found === undefined) response.writeHead(302, { location: `${this.upstream}${url.slice(1)}` }).end();
      else if (path.includes('/-/')) response.end(found.bytes);
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(this.describe(found)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return this.url;
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private describe({ manifest, bytes }: PackedPackage): object {
    const { name, version } = manifest;
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const dist = { integrity, tarball: `${this.url}${name}/-/${version}.tgz` };
    return {
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...manifest, dist } },
    };
  }
}
