import { createHash } from "node:crypto";

/** A sequence of HTTP requests whose answers are facts about the real kube-apiserver. */
export interface Case {
  /** Unique in its area; the key of the recorded answers. */
  readonly name: string;
  readonly steps: readonly Step[];
}

/** One request. In path and body, and in recorded answers, {ns} stands for the case's own namespace. */
export interface Step {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, anything else as JSON; a function computes it from the answers so far. */
  readonly body?: unknown;
  /** Wait first, so that the clock (metadata has a resolution of a second) advances. */
  readonly waitSeconds?: number;
  /**
   * The user: a credential of the area's surroundings, or a token from the answers so far; default the administrator.
   */
  readonly as?: string | ((answers: never[]) => string);
}

/** The credential of a client. */
export interface Credential {
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM. */
  readonly cert?: string;
  readonly key?: string;
}

/** Files and servers of kube-apiserver's configuration, and the credentials of clients. */
export interface Surroundings extends AsyncDisposable {
  readonly flags: readonly string[];
  readonly credentials: Readonly<Record<string, Credential>>;
  /** Replaces values in an answer that differ from run to run. */
  conceal(text: string): string;
}

/** The cases of one area: recorded/AREA.json holds their answers. */
export interface Area {
  readonly name: string;
  /** Flags of kube-apiserver that these cases need; it is restarted with them. */
  readonly flags?: readonly string[];
  /** Files and servers that the flags refer to, created again for each run. */
  surround?(): Promise<Surroundings>;
  /** Requests made once before the cases and not recorded: custom resource definitions and the like. */
  readonly fixtures?: readonly Step[];
  /** Paths that must answer 200 before the cases start. */
  readonly ready?: readonly string[];
  /** Requests that are repeated until they succeed, before the cases start. */
  readonly awaited?: readonly Step[];
  readonly cases: readonly Case[];
}

/** The server's answer, with values that differ from run to run replaced by numbered names. */
export interface Answer {
  readonly status: number;
  /** Only those in keptHeaders; content-type only where it is not application/json. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The recorded answers of a case; digest is that of its requests, to detect a case that changed since. */
export interface Recording {
  readonly name: string;
  readonly digest: string;
  readonly answers: readonly Answer[];
}

/** Headers that are part of the recorded answers. */
export const keptHeaders = ["content-type", "warning", "location", "retry-after", "allow"] as const;

/** A digest of all requests of a case. */
export const caseDigest = (test: Case): string =>
  createHash("sha256")
    .update(
      JSON.stringify(test.steps, (_key, value: unknown) =>
        typeof value === "function" ? value.toString() : value,
      ),
    )
    .digest("hex")
    .slice(0, 12);
