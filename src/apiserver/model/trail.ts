import type { ResourceName } from "./resource-name.ts";

/**
 * What one write request has gone through, noted by the gates as it passes them: the source of the steps that a journey
 * has of it. All times are milliseconds of the monotonic clock; 0 where the request has not been.
 */
export class Trail {
  /** The first authenticator that knew the user. */
  authenticator = "";
  authenticatedMs = 0;
  /** Set if the request waited for a seat. */
  queue: QueueMark | undefined;
  authorizedMs = 0;
  /** The body is decoded. */
  decodedMs = 0;
  mutatedMs = 0;
  /** Validating admission has begun: everything else is valid. */
  checkedMs = 0;
  validatedMs = 0;
  /** The name of the object in the body, if the path has none. */
  name = "";
  readonly plugins: PluginMark[] = [];
  readonly commits: Commit[] = [];
  /** The number of commits beyond the limit. */
  omitted = 0;
  /** Whether it is noted what each plugin changes, which costs more than all the rest. */
  readonly isDetailed: boolean;

  constructor(isDetailed: boolean) {
    this.isDetailed = isDetailed;
  }

  committed(commit: Commit): void {
    if (this.commits.length < maxCommits) this.commits.push(commit);
    else this.omitted++;
  }
}

/** Limit of the commits of one request that are noted (count): a collection may have any number of objects. */
const maxCommits = 1000;

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

/** One write to the store. */
export interface Commit {
  readonly resource: ResourceName;
  /** The written version of the object, or the last one of a removed object. */
  readonly stored: CommittedObject;
  /** Of the object that was written: the stored one may have to be parsed again. */
  readonly metadata: CommittedMetadata;
  readonly verb: "create" | "update" | "remove";
  readonly fromMs: number;
  /** The store has it. */
  readonly durableMs: number;
  /** Watchers have it. */
  readonly seenMs: number;
}

/** The part of a stored object that is needed. */
interface CommittedObject {
  readonly revision: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly json: Uint8Array;
}

interface CommittedMetadata {
  readonly namespace?: string;
  readonly uid?: string;
  readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
}
