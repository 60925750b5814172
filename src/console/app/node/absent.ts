/** In place of what a page does not have: it says so when it is called. */
export function absent(what: string) {
  return function Absent(): never {
    throw new Error(
      `this needs ${what} of your computer, which a page does not have: run it in a terminal of your own`,
    );
  };
}

const programs = absent("the programs");
const connections = absent("network connections");
const input = absent("the standard input");

export const execFile = programs;
export const execFileSync = programs;
export const spawn = programs;
export const spawnSync = programs;
export const createServer = connections;
export const connect = connections;
export const createConnection = connections;
export const request = connections;
export const Agent = connections;
export const TLSSocket = connections;
export const Socket = connections;
export const createSecureContext = connections;
export const DEFAULT_CIPHERS = "";
export const STATUS_CODES = {};
export const createInterface = input;
export const Session = absent("the profiler");
export const Duplex = connections;
export const Readable = connections;
export const PassThrough = connections;
export const finished = connections;
export const pipeline = connections;
export const gzipSync = absent("compression");
export const createGzip = absent("compression");
export const createInflate = absent("compression");
export const createDeflate = absent("compression");
export const constants = {};

/** There is no terminal of a computer; what shows a terminal is the page. */
export const isatty = (): boolean => false;

/** Programs of the page share nothing. */
export class AsyncLocalStorage {
  run<T>(_value: unknown, act: () => T): T {
    return act();
  }

  getStore(): undefined {
    return undefined;
  }
}
