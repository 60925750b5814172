import type { NameMapping } from "../wire/renamed-reply.ts";

/** What a server answers from, as a Corefile says it: its plugins, in the order in which they are asked. */
export interface DnsConfig {
  readonly blocks: readonly BlockConfig[];
}

/** Zones are in lower case, without a final dot; "" is the root. */
export interface BlockConfig {
  readonly zones: readonly string[];
  readonly rewrites: readonly RewriteRule[];
  readonly hosts?: HostsConfig | undefined;
  readonly kubernetes?: KubernetesConfig | undefined;
  readonly cache?: CacheConfig | undefined;
  readonly forwards: readonly ForwardConfig[];
  /** Whether a loop of forwarding is looked for. */
  readonly loop: boolean;
  /** The classes of answers that are logged. */
  readonly log: ReadonlySet<LogClass>;
  /** Whether failures of forwarding are logged. */
  readonly errors: boolean;
}

export type LogClass = "success" | "denial" | "error";

export interface KubernetesConfig {
  /** Domains of the cluster, and zones of addresses. */
  readonly zones: readonly string[];
  readonly ttl: number;
  /** Whether names that contain an address resolve to it. */
  readonly pods: boolean;
  readonly fallthrough: readonly string[];
}

export interface HostsConfig {
  readonly zones: readonly string[];
  readonly ttl: number;
  readonly fallthrough: readonly string[];
  /** The addresses of names; a name that begins with `*.` stands for one label more. */
  readonly addresses: ReadonlyMap<string, readonly string[]>;
  /** The names of addresses. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

export interface Upstream {
  readonly host: string;
  readonly port: number;
  /** The name in the server's certificate; undefined for plain DNS. */
  readonly tlsName?: string | undefined;
}

export interface ForwardConfig {
  readonly from: string;
  readonly except: readonly string[];
  readonly upstreams: readonly Upstream[];
  /** Whether the servers of the node's resolv.conf are asked as well. */
  readonly usesResolvConf: boolean;
  readonly policy: "random" | "round_robin" | "sequential";
  readonly transport: "udp" | "tcp";
  /** Limit of queries that wait at the same time. */
  readonly maxConcurrent: number;
  /** Limit of one server's response time (ms). */
  readonly timeoutMs: number;
}

/** How long one kind of answers is cached (s), and how many of them. */
export interface CacheClass {
  readonly capacity: number;
  readonly maxSeconds: number;
  readonly minSeconds: number;
}

export interface CacheConfig {
  readonly success: CacheClass;
  readonly denial: CacheClass;
  /** Undefined if failures are not cached. */
  readonly failureSeconds: number;
  /** Answers that were asked for often are asked again before they expire. */
  readonly prefetch?:
    | { readonly amount: number; readonly gapMs: number; readonly percentage: number }
    | undefined;
  /** Expired answers are given for this time. */
  readonly stale?:
    | {
        readonly forMs: number;
        /** Whether the upstream server is asked first, and for how long at most (0: as usual). */
        readonly verifyMs: number | undefined;
        readonly ttl: number;
      }
    | undefined;
}

/** A change of the question, and of the names of its answer. Names end with a dot. */
export interface RewriteRule {
  /** Whether the next rules are tried after it. */
  readonly continues: boolean;
  /** The changed question; undefined if the rule does not match. */
  apply(question: RewrittenQuestion): RewriteResult | undefined;
}

export interface RewrittenQuestion {
  readonly name: string;
  readonly type: number;
}

export interface RewriteResult extends RewrittenQuestion {
  /** Changes names of records. */
  readonly names: readonly NameMapping[];
  /** Changes names in the data of records. */
  readonly values: readonly NameMapping[];
}
