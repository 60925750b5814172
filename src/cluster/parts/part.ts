import type { start as startApiServer } from "#/apiserver/run.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import type { Feature } from "./feature.ts";

/** The programs that run parts of a cluster, each with the context of its parts. */
export interface ProgramContexts {
  readonly server: ServerContext;
  readonly agent: undefined;
}

export type PartProgram = keyof ProgramContexts;

/** The duties of a part in the server of a cluster, and in the agent of each node. */
export type Duties = { readonly [Name in PartProgram]?: Duty<ProgramContexts[Name]> };

/**
 * A part of a cluster, declared once: the programs that run it, its flags, clean-up, command, logs, status and manifests all
 * derive from the list in index.ts.
 */
export interface Part extends Duties {
  /** Its name as a command of k8ts, in logs, and for --disable. */
  readonly name: string;
  /** Its summary in `k8ts help`. */
  readonly summary: string;
  /** Its module, with the `main` of `k8ts NAME`, and a check of its flags that starts nothing. */
  load(): Promise<{
    main(args: readonly string[]): Promise<number>;
    check(args: readonly string[]): Promise<void>;
  }>;
  /** True if a cluster can run without it: `k8ts up --disable=NAME`. */
  readonly canBeDisabled: boolean;
  /** Whether a cluster has it at all; every cluster if it is not given. */
  isNeeded?(settings: ClusterSettings): boolean;
  /** Objects that it needs in the API, such as its RBAC roles: a file in the folder `manifests`. */
  readonly manifest?: string;
  /** The feature that it provides to manifests of users, for `k8ts status`. */
  readonly feature?: Feature;
}

/** The duty of a part in one program. All of it can be done by hand, with public flags. */
export interface Duty<ProgramContext> {
  /** Its public flags; if they change, the program is restarted. */
  flags(context: PartContext): Flags;
  /** Configuration documents that it reads if the user gives them. */
  readonly documents?: readonly PartDocument[];
  /** Files that it reads, written before it starts; if they change, the program is restarted. */
  files?(context: PartContext): readonly PartFile[];
  /**
   * Whether a cluster of several servers has it once, on the one that leads; otherwise each server has it, and it elects a leader
   * itself if it needs one.
   */
  readonly onLeader?: boolean;
  /** Whether the other parts of the program can't go on when it fails; otherwise it alone is started again. */
  readonly endsProgram?: boolean;
  /** Runs until the signal aborts. Loads its modules itself: the list must load fast. */
  run(args: readonly string[], signal: AbortSignal, programContext: ProgramContext): Promise<void>;
  /**
   * Removes what it has set up outside of its process, when the node is taken down or the part was disabled. Must not
   * depend on settings that may be invalid.
   */
  cleanUp?(
    context: CleanUpContext,
    signal: AbortSignal,
    programContext: ProgramContext,
  ): Promise<void>;
}

/** A configuration document of a component, in upstream's format, that a user may give. */
export interface PartDocument {
  readonly apiGroup: string;
  readonly kind: string;
  /** Its file, in the folder of configurations. */
  readonly file: string;
  /** The flag that names the file; none if the part reads it anyway. */
  readonly flag?: string;
  /** Flags that can't be used together with it. */
  readonly replaces?: readonly string[];
  /** Flags that it needs. */
  needs?(context: PartContext): Flags;
  /** The document with the fields that the cluster sets. */
  complete?(document: object, context: PartContext): object;
}

/** The input for flags and files. */
export interface PartContext {
  readonly paths: ClusterPaths;
  readonly settings: ClusterSettings;
  /** The resolv.conf with servers that the node itself reaches. */
  readonly resolvConf: string;
}

export interface CleanUpContext {
  readonly paths: ClusterPaths;
  readonly runtimeEndpoint: string;
  /** Limit of the grace period of Pods (seconds). */
  readonly maxGraceSeconds: number;
  /** True if everything must be removed: the node does not come back. */
  readonly isFinal: boolean;
}

export type Flags = Readonly<Record<string, string | number | boolean>>;

export interface PartFile {
  readonly path: string;
  readonly text: string;
}

/** The API server, for other parts of its process. */
export interface ServerContext {
  /** Called by the API server once it serves. */
  onReady(connect: Connect): void;
  /** Access to the API server, once it serves; rejects if the process ends before. */
  connected(signal: AbortSignal): Promise<Connect>;
  /** Runs a task as long as this server leads; absent if there can be no other one. */
  readonly whileLeading?:
    | ((
        task: (signal: AbortSignal, connect: Connect) => Promise<void>,
        signal: AbortSignal,
      ) => Promise<void>)
    | undefined;
}

/** Access to the API server from within its process. */
export type Connect = Parameters<
  NonNullable<NonNullable<Parameters<typeof startApiServer>[2]>["onReady"]>
>[0];

/** The identity of the cluster's own tasks: upstream has no role for it. */
export const clusterIdentity = { name: "k8ts:cluster", groups: ["system:masters"] };

/** Flags as words of a command line. */
export const argsOf = (flags: Flags): string[] =>
  Object.entries(flags).map(([name, value]) => `--${name}=${value}`);

/** The logging flags of a part. */
export const logFlagsOf = ({ verbosity, logFormat }: ClusterSettings): Flags => ({
  v: verbosity,
  "logging-format": logFormat,
});
