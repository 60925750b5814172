import { flushCompileCache, getCompileCacheDir, registerHooks } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SourcePack } from "./source-pack.ts";

/**
 * Imported for its effect, before modules with many imports: resolves imports of our own modules
 * without looking at the disk, and reads them all at once, without types, from a pack beside Node's
 * compile cache. That is half of a component's start time.
 */
const sources = new URL("../../", import.meta.url).href;
const format = "module";
/** Uptime (ms) after which a running program has loaded all that it needs. */
const settledMs = 5_000;

const cache = getCompileCacheDir();
if (cache) install(new SourcePack(join(cache, `sources-${programName()}`)));

/** Each program has its own pack, with only the modules it needs. */
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
    pack.release();
    // The compile cache is also kept if the program is killed.
    flushCompileCache();
  };
  const settleLater = async (): Promise<void> => {
    settling = true;
    // Imported late, so that this module is in the pack too.
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

/** The URL of an import of ours; undefined if it isn't one. */
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
