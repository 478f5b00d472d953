// Exits with 0 if the server of this container is ready (HEALTH-3). For HEALTHCHECK of an image and healthcheck of Compose.
const port = process.env.MILLRACE_HTTP_PORT ?? '7511';
const response = await fetch(`http://127.0.0.1:${port}/readyz`, {
  signal: AbortSignal.timeout(2_000),
});
process.exitCode = response.ok ? 0 : 1;
