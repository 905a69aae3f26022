export * as same from './module.js';
