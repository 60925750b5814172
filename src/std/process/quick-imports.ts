import { flushCompileCache, getCompileCacheDir, registerHooks } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SourcePack } from "./source-pack.ts";

/**
 * Imported for its effect, before anything is loaded that has many modules: tells Node at once where our own are, which it
 * would find out for each of a thousand by looking at the disk, and reads them all at once, without their types, from where
 * Node keeps what it made of them. That is half of the time that a component takes to start.
 */
const sources = new URL("../../", import.meta.url).href;
const format = "module";
/** After so long, a program that goes on running has loaded all that it needs for now. */
const settledMs = 5_000;

const cache = getCompileCacheDir();
if (cache) install(new SourcePack(join(cache, `sources-${programName()}`)));

/** Each program has a pack of its own, with what it needs and no more. */
function programName(): string {
  const [, script = "", command = ""] = process.argv;
  const name = basename(script, ".ts");
  return name === "k8ts" && /^[a-z-]+$/.test(command) ? command : name;
}

function install(pack: SourcePack): void {
  let settling = false;
  const settle = (): void => {
    settling = false;
    pack.save();
    // A program that is killed hasn't compiled in vain.
    flushCompileCache();
  };
  const settleLater = async (): Promise<void> => {
    settling = true;
    // Now that this module is in the pack too, and needs no looking for.
    const { systemClock } = await import("../time/clock.ts");
    systemClock.setTimer(settledMs, settle, { keepAlive: false });
  };
  registerHooks({
    resolve(specifier, context, next) {
      const url = ownUrl(specifier, context.parentURL);
      return url ? { url, format, shortCircuit: true } : next(specifier, context);
    },
    load(url, context, next) {
      if (!isOwn(url)) return next(url, context);
      if (!settling) void settleLater();
      return { source: pack.source(fileURLToPath(url)), format, shortCircuit: true };
    },
  });
  process.on("exit", () => pack.save());
}

const isOwn = (url: string): boolean => url.endsWith(".ts") && url.startsWith(sources);

/** Where an import of ours leads; undefined if it isn't one. */
function ownUrl(specifier: string, parent = ""): string | undefined {
  if (!specifier.endsWith(".ts")) return undefined;
  if (specifier.startsWith("#/")) return sources + specifier.slice(2);
  if (!specifier.startsWith(".") || !parent.startsWith(sources)) return undefined;
  let folder = parent.slice(0, parent.lastIndexOf("/"));
  let path = specifier.startsWith("./") ? specifier.slice(2) : specifier;
  for (; path.startsWith("../"); path = path.slice(3)) {
    folder = folder.slice(0, folder.lastIndexOf("/"));
  }
  const url = `${folder}/${path}`;
  return isOwn(url) ? url : undefined;
}
