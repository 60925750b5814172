import type { ResourceName } from "./resource-name.ts";

/**
 * What one write request has gone through, noted by the gates as it passes them: the source of the steps that a journey
 * has of it. All times are whole microseconds since the request arrived, which the engine keeps in the object itself;
 * 0 where the request has not been.
 */
export class Trail {
  /** The first authenticator that knew the user. */
  authenticator = "";
  authenticatedMicros = 0;
  /** Set if the request waited for a seat. */
  queue: QueueMark | undefined = undefined;
  authorizedMicros = 0;
  /** The body is decoded. */
  decodedMicros = 0;
  mutatedMicros = 0;
  /** Validating admission has begun: everything else is valid. */
  checkedMicros = 0;
  validatedMicros = 0;
  /** The name of the object in the body, if the path has none. */
  name = "";
  /** Absent until there is one: most requests have none. */
  plugins: PluginMark[] | undefined = undefined;
  /** Most requests have one; further ones are in `others`. */
  commit: Commit | undefined = undefined;
  others: Commit[] | undefined = undefined;
  /** The number of commits beyond the limit. */
  omitted = 0;
  /** Whether it is noted what each plugin changes, which costs more than all the rest. */
  readonly isDetailed: boolean;
  /** When the request arrived (ms of the monotonic clock). */
  readonly receivedMs: number;

  constructor(receivedMs: number, isDetailed: boolean) {
    this.receivedMs = receivedMs;
    this.isDetailed = isDetailed;
  }

  /** The time of this request at a time of the monotonic clock: at least 1. */
  at(monotonicMs: number): number {
    return Math.max(1, Math.round((monotonicMs - this.receivedMs) * 1000));
  }

  /** A plugin's part is worth noting. */
  noted(mark: PluginMark): void {
    if (this.plugins) this.plugins.push(mark);
    else this.plugins = [mark];
  }

  committed(commit: Commit): void {
    if (this.commit === undefined) this.commit = commit;
    else if (this.others === undefined) this.others = [commit];
    else if (this.others.length < maxOthers) this.others.push(commit);
    else this.omitted++;
  }
}

/** Limit of the further commits of one request that are noted (count): a collection may have any number of objects. */
const maxOthers = 999;

interface QueueMark {
  readonly level: string;
  readonly schema: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The part of an admission plugin or webhook. */
export interface PluginMark {
  readonly name: string;
  readonly phase: "mutate" | "validate" | "webhook";
  ms: number;
  /** JSON pointers of the fields that it changed, without values. */
  changed?: readonly string[];
  failed?: boolean;
}

/** One write to the store: made when it begins, and on the trail when it is done. */
export class Commit {
  readonly resource: ResourceName;
  /** Of the object that was written: the stored one may have to be parsed again. */
  readonly metadata: CommittedMetadata;
  readonly verb: "create" | "update" | "remove";
  readonly fromMicros: number;
  /** The store has it. */
  durableMicros = 0;
  /** Watchers have it. */
  seenMicros = 0;
  /** The written version of the object, or the last one of a removed object. */
  stored: CommittedObject = nothing;
  readonly #trail: Trail;

  constructor(
    trail: Trail,
    { resource, metadata, verb }: Pick<Commit, "resource" | "metadata" | "verb">,
    monotonicMs: number,
  ) {
    this.#trail = trail;
    this.resource = resource;
    this.metadata = metadata;
    this.verb = verb;
    this.fromMicros = trail.at(monotonicMs);
  }

  durable(monotonicMs: number): void {
    this.durableMicros = this.#trail.at(monotonicMs);
  }

  done(stored: CommittedObject, monotonicMs: number): void {
    this.stored = stored;
    this.seenMicros = this.#trail.at(monotonicMs);
    this.#trail.committed(this);
  }
}

/** The part of a stored object that is needed. */
interface CommittedObject {
  readonly revision: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly json: Uint8Array;
}

const nothing: CommittedObject = { revision: 0, name: "", sizeBytes: 0, json: new Uint8Array() };

interface CommittedMetadata {
  readonly namespace?: string;
  readonly uid?: string;
  readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
}
