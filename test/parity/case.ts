import { createHash } from "node:crypto";

/** A sequence of HTTP requests whose answers are facts about the real kube-apiserver. */
export interface Case {
  /** Unique in its area; the recorded answers are found by it. */
  readonly name: string;
  readonly steps: readonly Step[];
}

/** One request. In path and body, and in recorded answers, {ns} stands for the case's own namespace. */
export interface Step {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON; a function makes it from the answers so far. */
  readonly body?: unknown;
  /** Wait first, so that the clock (which has a resolution of a second in metadata) moves on. */
  readonly waitSeconds?: number;
  /** Who sends it: a credential of the area's surroundings, or a token from the answers so far; the administrator otherwise. */
  readonly as?: string | ((answers: never[]) => string);
}

/** What a client proves with who it is. */
export interface Credential {
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM. */
  readonly cert?: string;
  readonly key?: string;
}

/** Files and servers that kube-apiserver is configured with, and what clients have of them. */
export interface Surroundings extends AsyncDisposable {
  readonly flags: readonly string[];
  readonly credentials: Readonly<Record<string, Credential>>;
  /** Replaces what differs from run to run in an answer. */
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
  /** Requests that are made again and again until they succeed, before the cases start. */
  readonly awaited?: readonly Step[];
  readonly cases: readonly Case[];
}

/** What the server said, with what differs from run to run replaced by numbered names. */
export interface Answer {
  readonly status: number;
  /** Only those in keptHeaders; content-type only where it is not application/json. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The recorded answers of a case; digest is that of its requests, to notice a case that changed since. */
export interface Recording {
  readonly name: string;
  readonly digest: string;
  readonly answers: readonly Answer[];
}

/** Headers that are part of an answer's meaning. */
export const keptHeaders = ["content-type", "warning", "location", "retry-after", "allow"] as const;

/** A digest of everything a case sends. */
export const caseDigest = (test: Case): string =>
  createHash("sha256")
    .update(
      JSON.stringify(test.steps, (_key, value: unknown) =>
        typeof value === "function" ? value.toString() : value,
      ),
    )
    .digest("hex")
    .slice(0, 12);
