import { browserClock } from "../base/browser-clock.ts";
import * as absentModule from "./absent.ts";
import * as bufferModule from "./buffer.ts";
import * as cryptoModule from "./crypto.ts";
import * as fsModule from "./fs.ts";
import * as promisesModule from "./fs-promises.ts";
import * as pathModule from "./path.ts";
import * as smallModules from "./small-modules.ts";

/** The modules of Node that a page has; see node-modules.ts, which leads imports to them. */
const modules: Readonly<Record<string, object>> = {
  "node:buffer": bufferModule,
  "node:crypto": cryptoModule,
  "node:fs": fsModule,
  "node:fs/promises": promisesModule,
  "node:module": smallModules,
  "node:os": smallModules,
  "node:path": pathModule,
  "node:util": smallModules,
};

/** Gives the page the names that programs of Node expect everywhere. Called before such a program is loaded. */
export function installNode(): void {
  const process = {
    env: {} as Record<string, string>,
    argv: ["node", "kubectl"],
    pid: 1,
    platform: "linux",
    arch: "x64",
    version: "v26.0.0",
    versions: { node: "26.0.0" },
    cwd: () => "/home",
    getBuiltinModule: (name: string) => modules[name] ?? absentModule,
    nextTick: (run: (...given: unknown[]) => void, ...given: unknown[]) =>
      queueMicrotask(() => run(...given)),
    emitWarning: () => undefined,
  };
  const setImmediate = (run: (...given: unknown[]) => void, ...given: unknown[]) =>
    browserClock.after(0, () => run(...given));
  Object.assign(globalThis, { process, Buffer: bufferModule.Buffer, setImmediate });
}
