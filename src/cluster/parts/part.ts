import type { start as startApiServer } from "#/apiserver/run.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import type { Feature } from "./feature.ts";

/** The programs that hold parts of a cluster, each with what it gives to its parts. */
export interface Surroundings {
  readonly server: ServerSurroundings;
  readonly agent: undefined;
}

export type PartProgram = keyof Surroundings;

/** What a part does in the server of a cluster, and in the agent of each node. */
export type Duties = { readonly [Name in PartProgram]?: Duty<Surroundings[Name]> };

/**
 * A part of a cluster, declared once: the programs that run it, its flags, clean-up, command, logs, status and manifests all
 * derive from the list in index.ts.
 */
export interface Part extends Duties {
  /** Its name as a command of k8ts, in logs, and for --disable. */
  readonly name: string;
  /** Its line of `k8ts help`. */
  readonly summary: string;
  /** Its module, with what `k8ts NAME` runs. */
  load(): Promise<{ main(args: readonly string[]): Promise<number> }>;
  /** Whether a cluster can do without it: `k8ts up --disable=NAME`. */
  readonly canBeDisabled: boolean;
  /** Objects that it needs in the API, such as its rights: a file in the folder `manifests`. */
  readonly manifest?: string;
  /** What it offers to manifests of users, for `k8ts status`. */
  readonly feature?: Feature;
}

/** What a part does in one program. All of it can be done by hand, with public flags. */
export interface Duty<Around> {
  /** Its public flags; with others the program is started again. */
  flags(context: PartContext): Flags;
  /** Files that it reads, written before it starts; with others the program is started again. */
  files?(context: PartContext): readonly PartFile[];
  /** Works until the signal aborts. Loads what it needs by itself: the list must stay light. */
  run(args: readonly string[], signal: AbortSignal, around: Around): Promise<void>;
  /**
   * Takes away what it has set up outside of its process, when the node is taken down or the part was disabled. Must not
   * depend on settings that a user may have got wrong.
   */
  cleanUp?(context: CleanUpContext, signal: AbortSignal, around: Around): Promise<void>;
}

/** The facts that flags and files are made of. */
export interface PartContext {
  readonly paths: ClusterPaths;
  readonly settings: ClusterSettings;
  /** The resolv.conf that names servers which the node itself reaches. */
  readonly resolvConf: string;
}

export interface CleanUpContext {
  readonly paths: ClusterPaths;
  readonly runtimeEndpoint: string;
  /** Limit of the grace period of Pods (seconds). */
  readonly maxGraceSeconds: number;
  /** Whether nothing may be left: the node does not come back. */
  readonly isFinal: boolean;
}

export type Flags = Readonly<Record<string, string | number | boolean>>;

export interface PartFile {
  readonly path: string;
  readonly text: string;
}

/** The API server as other parts of its process see it. */
export interface ServerSurroundings {
  /** Called by the API server when it serves. */
  onReady(connect: Connect): void;
  /** The way into the API server, once it serves; fails if all is to end before. */
  connected(signal: AbortSignal): Promise<Connect>;
}

/** How the API server lets others of its process in. */
export type Connect = Parameters<
  NonNullable<NonNullable<Parameters<typeof startApiServer>[2]>["onReady"]>
>[0];

/** The identity of what acts for the cluster itself: upstream has no role for it. */
export const clusterIdentity = { name: "k8ts:cluster", groups: ["system:masters"] };

/** Flags as a command line has them. */
export const argsOf = (flags: Flags): string[] =>
  Object.entries(flags).map(([name, value]) => `--${name}=${value}`);

/** The flags of how a part logs. */
export const logFlagsOf = ({ verbosity, logFormat }: ClusterSettings): Flags => ({
  v: verbosity,
  "logging-format": logFormat,
});
