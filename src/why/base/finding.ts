import type { Layer } from "./layer.ts";

/** An object, as the API names it. */
export interface Subject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Plural, as in URLs. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** What is wrong with an object, and what would put it right. */
export interface Finding {
  /** The name of the cause's declaration. */
  readonly cause: string;
  readonly layer: Layer;
  /** `proven` follows from facts about the object's own chain; `likely` is concluded from a text or a habit. */
  readonly certainty: "proven" | "likely";
  /** The object that has the cause: the one in question, or one on which it depends. */
  readonly about: Subject;
  /** A notice does not make an object stuck. */
  readonly severity: "stuck" | "notice";
  /** RFC 3339; undefined if unknown. */
  readonly since?: string;
  /** Without its subject and without a full stop: `the registry has no image "nginx:1.99"`. */
  readonly sentence: string;
  readonly evidence: readonly string[];
  /** Command lines. */
  readonly fix: readonly string[];
  readonly docs?: string;
}

/** Something that could not be read, which limits what the diagnosis can say. */
export interface Unread {
  readonly what: string;
  readonly reason: "forbidden" | "absent" | "failed";
  readonly message: string;
}

/** The answer to "why". */
export interface Diagnosis {
  readonly subject: Subject;
  readonly state: "healthy" | "stuck" | "progressing" | "unknown";
  /** The layer of the first finding, or where a healthy start has come to. */
  readonly layer?: Layer;
  /** One sentence with the object, the layer and the cause. */
  readonly sentence: string;
  /** Of the object's own chain; the first is the answer. */
  readonly findings: readonly Finding[];
  /** Facts that do not hold the object up. */
  readonly context: readonly Finding[];
  readonly unread: readonly Unread[];
}

const exitCodes = { healthy: 0, stuck: 1, progressing: 2, unknown: 2 } as const;

/** The exit code of a diagnosis: 0 healthy, 1 stuck, 2 still going on or unknown. */
export const exitCodeOf = ({ state }: Pick<Diagnosis, "state">): number => exitCodes[state];
