// Loaded into a server by `--import`.
import { reportFootprint } from '../peers/websocketFootprint.mjs';

reportFootprint();
