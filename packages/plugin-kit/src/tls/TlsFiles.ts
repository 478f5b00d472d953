import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server as PlainServer } from 'node:net';
import { createSecureContext, Server, type TlsOptions } from 'node:tls';
import { coreErrors, type Logger } from '@millrace/kernel';
import { isTls, type TlsConfig } from '../config/tlsConfig.js';

const HANDSHAKE_TIMEOUT_MS = 10_000;
const READ_INTERVAL_MS = 5_000;

interface Pem {
  readonly cert: string;
  readonly key: string;
}

/** Certificate and key of an entrypoint, from files that may be replaced while the server runs. */
export class TlsFiles {
  /** The last files that were refused: reported once. */
  private refused: Pem | undefined;
  private isReported = false;

  private constructor(
    private readonly protocol: string,
    private readonly config: TlsConfig,
    private pem: Pem,
  ) {}

  /**
   * Reads the files.
   * @param protocol its configuration section has the keys
   * @returns undefined if no TLS is configured
   * @throws core.start_failed naming the key whose file can't be used
   */
  static open(protocol: string, config: TlsConfig | undefined): TlsFiles | undefined {
    if (!isTls(config)) return undefined;
    const failed = (reason: string, cause?: unknown) =>
      coreErrors.start_failed({ component: protocol, reason }, { cause });
    const read = (key: 'certFile' | 'keyFile') => {
      const name = `${protocol}.tls.${key}`;
      if (config[key] === '') throw failed(`${name} is missing: TLS needs certificate and key`);
      try {
        return readFileSync(config[key], 'utf8');
      } catch (error) {
        throw failed(`${name}: can't read ${config[key]}: ${codeOf(error)}`, error);
      }
    };
    const pem = { cert: read('certFile'), key: read('keyFile') };
    try {
      assertUsable(pem, config);
    } catch (error) {
      const files = `${protocol}.tls.certFile and keyFile`;
      throw failed(`${files} can't be used: ${(error as Error).message}`, error);
    }
    return new TlsFiles(protocol, config, pem);
  }

  /** For `tls.createServer` and `https.createServer`. */
  get options(): TlsOptions {
    const { minVersion } = this.config;
    return { ...this.pem, minVersion, handshakeTimeout: HANDSHAKE_TIMEOUT_MS };
  }

  /**
   * Reads the files again from time to time until the server closes, and uses new ones for new connections. Files that
   * can't be used leave the old ones in place, with an error in the log.
   */
  watch(server: PlainServer, log: Logger, intervalMs = READ_INTERVAL_MS): void {
    if (!(server instanceof Server)) return;
    const timer = setInterval(() => void this.readAgain(server, log), intervalMs).unref();
    server.once('close', () => clearInterval(timer));
  }

  private async readAgain(server: Server, log: Logger): Promise<void> {
    const { certFile, keyFile } = this.config;
    try {
      const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
      const pem = { cert, key };
      if (isSame(pem, this.pem)) {
        this.refused = undefined;
        return;
      }
      this.use(pem, server, log);
    } catch (error) {
      this.refuse({ cert: '', key: '' }, codeOf(error), log);
    }
  }

  private use(pem: Pem, server: Server, log: Logger): void {
    try {
      const expires = assertUsable(pem, this.config);
      server.setSecureContext({ ...pem, minVersion: this.config.minVersion });
      this.pem = pem;
      this.refused = undefined;
      log.info({ protocol: this.protocol, expires }, 'TLS uses the new certificate');
    } catch (error) {
      this.refuse(pem, (error as Error).message, log);
    }
  }

  /** Reports files at the second reading: the first one may have met only one of the two new files. */
  private refuse(pem: Pem, reason: string, log: Logger): void {
    if (this.refused === undefined || !isSame(pem, this.refused)) {
      this.refused = pem;
      this.isReported = false;
    } else if (!this.isReported) {
      this.isReported = true;
      const { protocol } = this;
      const files = `${protocol}.tls.certFile and keyFile`;
      log.error({ protocol, reason }, `${files} can't be used: TLS keeps the old certificate`);
    }
  }
}

/** @returns when the certificate expires @throws Error if key and certificate don't belong together */
function assertUsable({ cert, key }: Pem, { minVersion }: TlsConfig): string {
  createSecureContext({ cert, key, minVersion });
  return new X509Certificate(cert).validTo;
}

function isSame(one: Pem, other: Pem): boolean {
  return one.cert === other.cert && one.key === other.key;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
}
