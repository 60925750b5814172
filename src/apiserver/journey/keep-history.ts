import { defaultManager } from "#/machinery/apply/default-manager.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { TokenBucket } from "#/std/time/token-bucket.ts";
import { type Exchange, header } from "../model/exchange.ts";
import type { Commit } from "../model/trail.ts";
import type { History, Version } from "./history.ts";
import type { OnCommit } from "./record-requests.ts";
import type { SegmentLog } from "./segment-log.ts";

/**
 * Limit of the versions that are written to the disk (per second, after a burst): in a storm of writes they stay in
 * memory only.
 */
const diskRate = 40;
const diskBurst = 200;
/** Limit of an object that is kept (bytes): of a larger one it is known who wrote it. */
const maxObjectBytes = 256 << 10;

/** A version as a line of a file. */
interface StoredVersion extends Omit<Version, "text"> {
  readonly object?: object;
}

/** Keeps the versions that requests write, in memory and in files. */
export class HistoryKeeper {
  readonly #history: History;
  readonly #log: SegmentLog | undefined;
  readonly #disk: TokenBucket;

  constructor(history: History, log: SegmentLog | undefined, clock: Clock = systemClock) {
    this.#history = history;
    this.#log = log;
    this.#disk = new TokenBucket({ qps: diskRate, burst: diskBurst, clock });
  }

  readonly keep: OnCommit = (exchange, commit, of, atMs) => {
    const version = { ...versionOf(exchange, commit), of, atMs };
    this.#history.add(version);
    if (this.#log && this.#disk.tryTake()) this.#write(this.#log, version);
  };

  /** Reads the versions of earlier processes. */
  async reload(limitBytes: number): Promise<void> {
    if (!this.#log) return;
    for await (const line of this.#log.newest(limitBytes)) {
      const version = readVersion(line);
      if (version) this.#history.add(version);
    }
  }

  #write(log: SegmentLog, version: Version): void {
    const { text, ...rest } = version;
    const head = JSON.stringify(rest);
    const object = text();
    log.append(object === undefined ? head : `${head.slice(0, -1)},"object":${object.trimEnd()}}`);
  }
}

function versionOf(exchange: Exchange, commit: Commit): Omit<Version, "of" | "atMs"> {
  const { info, user, query } = exchange;
  const { stored, verb } = commit;
  const isLarge = stored.sizeBytes > maxObjectBytes;
  return {
    revision: stored.revision,
    verb: verb === "remove" ? "delete" : verb === "create" ? "create" : verbName(exchange),
    ...(info.subresource === "" ? {} : { subresource: info.subresource }),
    user: user?.name,
    manager: query.get("fieldManager") ?? defaultManager(header(exchange, "user-agent") ?? ""),
    ...(verb === "remove" ? { deleted: true } : {}),
    sizeBytes: isLarge ? 0 : stored.sizeBytes,
    text: () => (isLarge ? undefined : Buffer.from(stored.json).toString()),
  };
}

function verbName(exchange: Exchange): string {
  const isApply = header(exchange, "content-type")?.startsWith("application/apply-patch");
  return isApply ? "apply" : exchange.info.verb;
}

/** A line of a file; undefined for one that a kill cut off. */
function readVersion(line: string): Version | undefined {
  try {
    const { object, ...version } = JSON.parse(line) as StoredVersion;
    const text = object && JSON.stringify(object);
    return { ...version, text: () => text };
  } catch {
    return undefined;
  }
}
