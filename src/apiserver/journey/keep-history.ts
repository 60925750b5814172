import { defaultManager } from "#/machinery/apply/default-manager.ts";
import { resourceText, type StepObject } from "#/machinery/journey/step.ts";
import { backgroundTurn } from "#/std/async/slices.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { TokenBucket } from "#/std/time/token-bucket.ts";
import { type Exchange, header } from "../model/exchange.ts";
import type { Commit } from "../model/trail.ts";
import { managerOf } from "./encode-record.ts";
import type { History, Version } from "./history.ts";
import { hashOfName } from "./record-hash.ts";
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

/** Keeps the versions that requests write, in memory and in files. */
export class HistoryKeeper {
  readonly #history: History;
  readonly #log: SegmentLog | undefined;
  readonly #disk: TokenBucket;
  /** Limit of what is read of earlier files (bytes). */
  readonly #earlierBytes: number;
  #loading: Promise<void> | undefined;

  constructor(
    history: History,
    log: SegmentLog | undefined,
    { clock = systemClock, earlierBytes }: { clock?: Clock; readonly earlierBytes: number },
  ) {
    this.#history = history;
    this.#log = log;
    this.#earlierBytes = earlierBytes;
    this.#disk = new TokenBucket({ qps: diskRate, burst: diskBurst, clock });
  }

  readonly keep: OnCommit = (exchange, commit, about) => {
    const version = new WrittenVersion(exchange, commit, about);
    this.#history.add(version);
    if (this.#log && this.#disk.tryTake()) this.#log.append(lineOf(version));
  };

  /** Reads the versions of earlier processes, when a client asks for the first time. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<void> {
    if (!this.#log) return;
    const older: Version[] = [];
    for await (const file of this.#log.earlier(this.#earlierBytes)) {
      for (const line of linesOf(file)) {
        await backgroundTurn();
        const version = readVersion(line);
        if (version) older.push(version);
      }
    }
    this.#history.addOlder(older);
  }
}

/** A version that a request has written: it refers to the bytes that the store has made, and makes nothing. */
class WrittenVersion implements Version {
  readonly key: number;
  readonly revision: number;
  readonly atMs: number;
  readonly user: string | undefined;
  readonly subresource: string | undefined;
  readonly #exchangeVerb: string;
  readonly #manager: string | undefined;
  readonly #agent: string;
  readonly #stored: Commit["stored"];
  readonly #resource: Commit["resource"];
  readonly #namespace: string;
  readonly #uid: string | undefined;
  readonly #verb: Commit["verb"];

  constructor(
    exchange: Exchange,
    { stored, resource, metadata, verb }: Commit,
    { atMs, nameHash }: Parameters<OnCommit>[2],
  ) {
    const { info, user, query } = exchange;
    this.#namespace = metadata.namespace ?? "";
    this.key = nameHash;
    this.revision = stored.revision;
    this.atMs = atMs;
    this.user = user?.name;
    this.subresource = info.subresource === "" ? undefined : info.subresource;
    this.#exchangeVerb = verbName(exchange);
    this.#manager = managerOf(query);
    this.#agent = header(exchange, "user-agent") ?? "";
    this.#stored = stored;
    this.#resource = resource;
    this.#uid = metadata.uid;
    this.#verb = verb;
  }

  get of(): StepObject {
    const namespace = this.#namespace;
    return {
      resource: resourceText(this.#resource),
      ...(namespace === "" ? {} : { namespace }),
      name: this.#stored.name,
      ...(this.#uid === undefined ? {} : { uid: this.#uid }),
    };
  }

  get verb(): string {
    if (this.#verb === "remove") return "delete";
    return this.#verb === "create" ? "create" : this.#exchangeVerb;
  }

  get manager(): string {
    return this.#manager ?? defaultManager(this.#agent);
  }

  get deleted(): true | undefined {
    return this.#verb === "remove" || undefined;
  }

  get sizeBytes(): number {
    return this.#isLarge ? 0 : this.#stored.sizeBytes;
  }

  text(): string | undefined {
    return this.#isLarge ? undefined : Buffer.from(this.#stored.json).toString();
  }

  /** The object as the store has it, with the newline at its end. */
  get bytes(): Uint8Array | undefined {
    return this.#isLarge ? undefined : this.#stored.json;
  }

  get #isLarge(): boolean {
    return this.#stored.sizeBytes > maxObjectBytes;
  }
}

function verbName(exchange: Exchange): string {
  const { verb } = exchange.info;
  if (verb !== "patch") return verb;
  const isApply = header(exchange, "content-type")?.startsWith("application/apply-patch");
  return isApply ? "apply" : verb;
}

/** What stands before the object in a line. In JSON, no text of a user can contain it: its quotes would be escaped. */
const objectMark = ',"object":';

/** A version as the parts of a line of a file. The object's bytes are the store's own: they are not copied. */
function lineOf(version: WrittenVersion): readonly Uint8Array[] {
  const { of, revision, atMs, verb, subresource, user, manager, deleted, sizeBytes } = version;
  const head = { of, revision, atMs, verb, subresource, user, manager, deleted, sizeBytes };
  const text = JSON.stringify(head);
  const { bytes } = version;
  if (!bytes) return [Buffer.from(`${text}\n`)];
  const end = bytes.at(-1) === newline ? bytes.length - 1 : bytes.length;
  return [Buffer.from(`${text.slice(0, -1)}${objectMark}`), bytes.subarray(0, end), lineEnd];
}

const newline = 0x0a;
const lineEnd = Buffer.from("}\n");

function* linesOf(file: Buffer): Generator<Buffer> {
  for (let from = 0; from < file.length; ) {
    const end = file.indexOf(newline, from);
    // A line without an end was cut off by a kill.
    if (end < 0) return;
    yield file.subarray(from, end);
    from = end + 1;
  }
}

/** A line of a file; its object stays bytes. Undefined if it is damaged. */
function readVersion(line: Buffer): Version | undefined {
  const mark = line.indexOf(objectMark);
  const head = mark < 0 ? line.toString() : `${line.toString("utf8", 0, mark)}}`;
  try {
    const version = JSON.parse(head) as Omit<Version, "key" | "text">;
    const { resource, namespace = "", name } = version.of;
    const key = hashOfName(resource, namespace, name);
    const text = () =>
      mark < 0 ? undefined : line.toString("utf8", mark + objectMark.length, line.length - 1);
    return { ...version, key, text };
  } catch {
    return undefined;
  }
}
