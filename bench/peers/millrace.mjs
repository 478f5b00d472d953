import { openKernel } from '../openKernel.mjs';

const { kernel, close } = await openKernel();
const [{ url }] = await kernel.start();
process.once('SIGTERM', () => void close().then(() => process.exit(0)));
process.send({ url });
