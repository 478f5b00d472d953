import type { ConfigSchema } from '@millrace/kernel';

/** Settings of TLS on an entrypoint's port. */
export interface TlsConfig {
  /** Empty: no TLS. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
}

/** Whether a port speaks TLS. */
export function isTls(config: TlsConfig | undefined): config is TlsConfig {
  return config !== undefined && (config.certFile !== '' || config.keyFile !== '');
}

/** The keys `tls.certFile`, `tls.keyFile` and `tls.minVersion`, for the section of an entrypoint. */
export function tlsConfig(): ConfigSchema {
  return {
    tls: {
      certFile: {
        doc: 'File with the certificate and its chain (PEM): the port then speaks TLS; empty: it does not. Read again when it changes',
        format: String,
        default: '',
      },
      keyFile: {
        doc: 'File with the private key of the certificate (PEM)',
        format: String,
        default: '',
      },
      minVersion: {
        doc: 'Oldest version of TLS that clients may use',
        format: ['TLSv1.2', 'TLSv1.3'],
        default: 'TLSv1.2',
      },
    },
  };
}
