import { type Pod, pods } from "#/api/core/v1.ts";
import { subjectOf } from "../base/any-object.ts";
import { type Cause, cause, type Found } from "../base/cause.ts";
import type { Layer } from "../base/layer.ts";
import { ago, count, oneLine } from "../base/text.ts";
import type { View } from "../base/view.ts";
import { type ContainerFacts, containersOf, endOf, isCrashing } from "./containers.ts";

/** A container that ends again and again, or has ended in failure for good. */
interface Crash {
  readonly container: ContainerFacts;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly restarts: number;
  /** The last lines of the log of the instance that ended, if they may be read. */
  readonly log: readonly string[];
  readonly since: string | undefined;
  readonly evidence: readonly string[];
  readonly fix: readonly string[];
}

/** Limit of the lines of a log in a diagnosis (count): the rest is in `kubectl logs`. */
const shownLines = 5;

/** The first container of a Pod that crashes; one that was ended by the others' end is no cause. */
function crashOf(pod: Pod, view: View): Crash | undefined {
  const crashing = containersOf(pod)
    .filter((one) => isCrashing(one, pod, view.nowMs) && !isStartFailure(one))
    .sort((a, b) => severity(a) - severity(b));
  const [container] = crashing;
  const end = container && endOf(container);
  if (!container || !end) return undefined;
  const previous = container.status?.state?.terminated === undefined;
  const log = view.log(pod, container.name, previous);
  const restarts = container.status?.restartCount ?? 0;
  const { exitCode = 0, reason = "", message = "", finishedAt } = end;
  return {
    container,
    exitCode,
    reason,
    message,
    restarts,
    log,
    since: finishedAt,
    evidence: [
      `${container.label} ended${finishedAt ? ` ${ago(finishedAt, view.nowMs)}` : ""}: exit code ${exitCode}${reason ? ` (${reason})` : ""}, ${count(restarts, "restart")}`,
      ...backoffLine(container),
      ...(message ? [`it left the message: ${oneLine(message)}`] : []),
      ...(log.length > 0 ? [logTitle(container, previous)] : []),
      ...log.slice(-shownLines).map((line) => `  | ${line}`),
    ],
    fix: [logsLine(pod, container, previous)],
  };
}

/** Ends that failed explain more than those that did not. */
const severity = (container: ContainerFacts): number => (endOf(container)?.exitCode === 0 ? 1 : 0);

const logTitle = ({ name }: ContainerFacts, previous: boolean): string =>
  `the last lines of its log (of ${name}${previous ? ", the instance before" : ""}; at most ${shownLines}, without what looks like credentials):`;

/** Reasons of ends without a start: no program has run. */
const startReasons = new Set(["StartError", "ContainerCannotRun"]);

export const isStartFailure = (container: ContainerFacts): boolean =>
  startReasons.has(endOf(container)?.reason ?? "");

function backoffLine({ status }: ContainerFacts): string[] {
  const message = status?.state?.waiting?.message;
  const pause = /back-off (\S+) restarting/.exec(message ?? "")?.[1];
  return pause === undefined
    ? []
    : [`the kubelet waits ${pause} before it starts it again (CrashLoopBackOff)`];
}

export function logsLine(pod: Pod, { name }: ContainerFacts, previous: boolean): string {
  const subject = subjectOf(pods, pod);
  const several = containersOf(pod).length > 1 ? ` -c ${name}` : "";
  return `kubectl logs ${subject.name}${several}${previous ? " --previous" : ""}`;
}

/** `, 3 restarts`, within parentheses. */
export const restartsPart = ({ restarts }: Crash): string =>
  restarts === 0 ? "" : `, ${count(restarts, "restart")}`;

/** ` (3 restarts)`, for sentences. */
export const restartsText = ({ restarts }: Crash): string =>
  restarts === 0 ? "" : ` (${count(restarts, "restart")})`;

interface CrashCause {
  readonly name: string;
  readonly layer?: Layer;
  readonly certainty?: Found["certainty"];
  applies(crash: Crash, pod: Pod, view: View): boolean;
  explain(
    crash: Crash,
    pod: Pod,
    view: View,
  ): Pick<Found, "sentence"> & Partial<Pick<Found, "fix">>;
}

/** A cause that is recognised by how a container ends. */
export const crashCause = (given: CrashCause): Cause => {
  const { name, layer = "containers", certainty = "proven" } = given;
  return cause<Pod>({
    name,
    layer,
    group: "crash",
    of: [pods],
    find(pod, view) {
      const crash = crashOf(pod, view);
      if (!crash || !given.applies(crash, pod, view)) return undefined;
      const { since, evidence } = crash;
      const { sentence, fix = [] } = given.explain(crash, pod, view);
      return { certainty, since, evidence, sentence, fix: [...crash.fix, ...fix] };
    },
  });
};

interface LogCause {
  readonly name: string;
  readonly layer?: Layer;
  readonly texts: RegExp;
  readonly meaning: string;
  /** What the cluster shows about what a line names, instead of the meaning; undefined if it shows nothing. */
  readonly because?: (line: string, pod: Pod, view: View) => string | undefined;
  readonly fix?: readonly string[];
}

/** A cause that the last lines of a log suggest. */
export const logCause = ({ name, layer, texts, meaning, because, fix = [] }: LogCause): Cause =>
  crashCause({
    name,
    ...(layer ? { layer } : {}),
    certainty: "likely",
    applies: ({ log, message }) => logLine(log, message, texts) !== undefined,
    explain: (crash, pod, view) => {
      const found = logLine(crash.log, crash.message, texts) ?? "";
      const line = oneLine(found, 120);
      const { container, exitCode } = crash;
      return {
        sentence: `${container.label} ends with exit code ${exitCode}${restartsText(crash)}: ${because?.(found, pod, view) ?? meaning}; it says "${line}"`,
        fix,
      };
    },
  });

/** The last line that fits, rather one that names an error; with the one before it, if it says too little alone. */
export function logLine(
  log: readonly string[],
  message: string,
  texts: RegExp,
): string | undefined {
  const lines = [...log, ...(message ? [message] : [])];
  const fits = (line: string): boolean => texts.test(line) && !pointer.test(line);
  const told = lines.findLastIndex((line) => fits(line) && telling.test(line));
  const at = told >= 0 ? told : lines.findLastIndex(fits);
  const line = lines[at];
  const before = lines[at - 1];
  if (line === undefined || before === undefined || !bare.test(line)) return line;
  return `${before} ${line}`;
}

/** Lines that name an error. */
export const telling = /\b(?:err(?:or)?|fatal|panic|exception|failed|failure|cannot|could not)\b/i;

/** Lines that only say where more is written. */
const pointer =
  /complete log of this run|check the logs|did not exit normally|see .*(?:log|documentation)\b|for more (?:information|details)|^npm (?:err!|error)\s*(?:\/|$)|^usage:\s*$/i;

/** An error without what it is about. */
const bare =
  /^(?:no such file or directory|permission denied|connection refused|operation not permitted)\.?$/i;
