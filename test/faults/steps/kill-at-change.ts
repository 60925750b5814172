/**
 * Loaded into a command (NODE_OPTIONS=--import=…): kills it, and all commands that it runs, after its N-th change of the world:
 * a file that gets its place or goes, a request that the API server has accepted, a program that is started or stopped.
 * CHANGES_FILE counts, across all of these commands; it is as long as there were changes.
 */
import { appendFileSync, existsSync, statSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { TLSSocket } from "node:tls";

const {
  KILL_AT_CHANGE: at = "",
  CHANGES_FILE: file = "",
  KILL_COMMANDS: commands = "",
} = process.env;
const [, program = "", command = ""] = process.argv;

type Call = (...args: unknown[]) => unknown;
type Module = Record<string, unknown>;

/** Programs of the cluster inherit the environment; they are no part of the command. */
if (program.endsWith("/bin/k8ts.ts") && commands.split(",").includes(command)) watch();

function watch(): void {
  const load = createRequire(import.meta.url);
  const promises = load("node:fs/promises") as Module;
  for (const name of ["rename", "symlink", "rm", "unlink", "rmdir"]) {
    wrapAsync(promises, name, name === "rm");
  }
  const fs = load("node:fs") as Module;
  for (const name of ["renameSync", "symlinkSync", "rmSync", "unlinkSync"]) wrapSync(fs, name);
  wrapSync(load("node:child_process") as Module, "spawn");
  const { kill } = process;
  process.kill = (pid, signal) => {
    const done = kill.call(process, pid, signal);
    // Zero asks whether a process is there.
    if (signal !== 0) changed();
    return done;
  };
  syncBuiltinESMExports();
  watchRequests();
}

/** Counts what a function has done once it has; for rm only if there was something. */
function wrapAsync(module: Module, name: string, ifThere: boolean): void {
  const original = module[name] as Call;
  module[name] = async (...args: unknown[]) => {
    const counts = !ifThere || existsSync(String(args[0]));
    const result = await original(...args);
    if (counts) changed();
    return result;
  };
}

function wrapSync(module: Module, name: string): void {
  const original = module[name] as Call;
  module[name] = (...args: unknown[]) => {
    const result = original(...args);
    changed();
    return result;
  };
}

/** A request of HTTP/1 that changes something counts when the first byte of its answer has come. */
function watchRequests(): void {
  const { write } = TLSSocket.prototype;
  TLSSocket.prototype.write = function (this: TLSSocket, ...args: unknown[]): boolean {
    const text = Buffer.from(args[0] as Uint8Array | string)
      .subarray(0, 8)
      .toString("latin1");
    if (/^(POST|PUT|PATCH|DELETE) /.test(text)) this.once("data", changed);
    return write.apply(this, args as Parameters<typeof write>);
  };
}

function changed(): void {
  appendFileSync(file, ".");
  // The group: also the command that runs this one, and its launcher.
  if (statSync(file).size === Number(at)) process.kill(0, "SIGKILL");
}
