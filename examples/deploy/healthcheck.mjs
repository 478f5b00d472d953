// Exits with 0 if the server of this container is ready (HEALTH-3). For HEALTHCHECK of an image and healthcheck of Compose.
import { get } from 'node:http';
import { get as getOverTls } from 'node:https';

const { MILLRACE_HTTP_PORT: port = '7511', MILLRACE_HTTP_TLS_CERT_FILE: certFile = '' } = process.env;
const options = { host: '127.0.0.1', port, path: '/readyz', timeout: 2_000 };
// The certificate is for the name of the server, not for 127.0.0.1.
const request = certFile === '' ? get(options) : getOverTls({ ...options, rejectUnauthorized: false });
request.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
request.on('timeout', () => process.exit(1));
request.on('error', () => process.exit(1));
