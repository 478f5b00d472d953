export { magicLink, magicLinkErrors, type MagicLinkOptions } from './magicLink.js';
