/** What a client of the cluster has seen, one record a line. Times are of the machine's clock (ms): all clients are on one machine. */
export type LoadRecord =
  | WriteRecord
  | EventRecord
  | FreshRecord
  | FinalRecord
  /** A watch began again, after the last revision it had seen. */
  | {
      readonly kind: "resumed";
      readonly at: number;
      readonly watcher: number;
      readonly why: string;
    }
  /** A watch could not begin again without a new list. */
  | { readonly kind: "gone"; readonly at: number; readonly watcher: number; readonly why: string }
  | SetRecord
  /** A Pod of a ReplicaSet was created. */
  | { readonly kind: "pod"; readonly at: number; readonly name: string; readonly owner: string };

type Operation = "create" | "update" | "delete";

/** A write: acknowledged; refused, so that it was certainly not done; or without a clear result. */
export interface WriteRecord {
  readonly kind: "acknowledged" | "refused" | "unknown";
  readonly at: number;
  /** When the request was sent. */
  readonly sentAt: number;
  readonly operation: Operation;
  readonly name: string;
  /** The content that was written; empty for a deletion. */
  readonly value: string;
  /** Of the answer; 0 if it names none. */
  readonly revision: number;
  readonly error?: string;
}

interface EventRecord {
  readonly kind: "event";
  readonly at: number;
  readonly watcher: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly name: string;
  readonly value: string;
  readonly revision: number;
}

/** A read on a connection of its own. */
interface FreshRecord {
  readonly kind: "fresh";
  readonly sentAt: number;
  readonly at: number;
  /** Empty if it succeeded. */
  readonly error: string;
}

/** The state at the end. */
interface FinalRecord {
  readonly kind: "final";
  readonly at: number;
  readonly values: Readonly<Record<string, string>>;
  readonly sets: readonly { readonly uid: string; readonly pods: number }[];
}

/** A ReplicaSet was created. */
interface SetRecord {
  readonly kind: "set";
  readonly at: number;
  readonly uid: string;
  readonly replicas: number;
}

/** The options of a load, as its program gets them. */
export interface LoadOptions {
  readonly server: string;
  /** The folder with `ca.crt`, `admin.crt` and `admin.key`. */
  readonly pki: string;
  readonly namespace: string;
  readonly prefix: string;
  readonly seed: number;
  readonly writers: number;
  readonly watchers: number;
  /** Pause of a writer between its writes (ms). */
  readonly pauseMs: number;
  /** Time (ms) from one new ReplicaSet to the next; 0 for none. */
  readonly setsMs: number;
}
