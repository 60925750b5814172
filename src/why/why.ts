import type { Status } from "#/api/meta/v1.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import type { Diagnosis } from "./base/finding.ts";
import { diagnose, type Target } from "./diagnose.ts";
import { withJourney } from "./journey-evidence.ts";
import { objectPath } from "./read/paths.ts";
import { type Reader, readAnswer } from "./read/reader.ts";
import type { Answer, Form } from "./read/snapshot.ts";

export interface WhyOptions {
  readonly reader: Reader;
  /** The time in ms. */
  readonly now: () => number;
  /** Whether the ends of container logs are read; default true. */
  readonly logs?: boolean;
  readonly signal?: AbortSignal;
  /** Limit of the objects of one list (count); default 20,000. */
  readonly maxObjects?: number;
}

/** Limit of the rounds of reads: a chain has fewer objects, and each round reads all that is asked for. */
const maxRounds = 12;
/** Limit of the reads at once: a diagnosis must not keep a server busy. */
const maxAtOnce = 8;

/** Why an object is stuck. Throws the server's StatusError if the object itself cannot be read. */
export const why = (target: Target, options: WhyOptions): Promise<Diagnosis> =>
  whyWith(target, new Map(), options);

/** As why(), with what was read before; what is read is added to it. */
export async function whyWith(
  target: Target,
  answers: Map<string, Answer>,
  options: WhyOptions,
): Promise<Diagnosis> {
  const { logs = true, now } = options;
  const own = objectPath(target.resource, target);
  if (!answers.has(own)) await readAll(new Map([[own, "json"]]), answers, options);
  requireFound(answers.get(own), target);
  for (let round = 0; ; round++) {
    const { diagnosis, missing } = diagnose(target, { nowMs: now(), answers, logs });
    if (diagnosis && (missing.size === 0 || round === maxRounds)) {
      return withJourney(diagnosis, (path) => readOne(path, answers, options));
    }
    await readAll(missing, answers, options);
  }
}

function requireFound(answer: Answer | undefined, { resource, name }: Target): void {
  if (answer?.state === "found") return;
  const codes = { absent: 404, forbidden: 403, failed: 500 } as const;
  const reasons = { absent: "NotFound", forbidden: "Forbidden", failed: "InternalError" } as const;
  const state = answer?.state ?? "failed";
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: reasons[state],
    code: codes[state],
    message: answer?.message ?? "no response",
    details: { name, group: resource.group, kind: resource.name },
  };
  throw new StatusError(status);
}

async function readOne(path: string, answers: Map<string, Answer>, options: WhyOptions) {
  if (!answers.has(path)) await readAll(new Map([[path, "json"]]), answers, options);
  return answers.get(path);
}

/** Reads paths, a few at once. */
export async function readAll(
  paths: ReadonlyMap<string, Form>,
  answers: Map<string, Answer>,
  options: Pick<WhyOptions, "reader" | "signal" | "maxObjects">,
): Promise<void> {
  const waiting = [...paths];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [path, as] = next;
      answers.set(path, await readAnswer(path, as, options));
    }
  };
  await Promise.all(Array.from({ length: maxAtOnce }, work));
}
