/** What was read of a cluster, by path. */
export interface Snapshot {
  readonly nowMs: number;
  readonly answers: ReadonlyMap<string, Answer>;
  /** Whether the ends of logs may be read. */
  readonly logs: boolean;
}

/** The result of a read. */
export type Answer =
  | { readonly state: "found"; readonly value: unknown }
  | { readonly state: "absent" | "forbidden" | "failed"; readonly message: string };

/**
 * The form of a response. Of "connect" and "reach" it is the error of a connection to a Pod's port, "" for none: from
 * within the Pod, and from the API server.
 */
export type Form = "json" | "text" | "connect" | "reach";
