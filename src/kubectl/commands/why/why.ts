import type { Resource } from "#/api/base/resource.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { type Diagnosis, exitCodeOf } from "#/why/base/finding.ts";
import type { Target } from "#/why/diagnose.ts";
import type { Reader } from "#/why/read/reader.ts";
import { why as explain, type WhyOptions, whyWith } from "#/why/why.ts";
import { type Survey, whyAll } from "#/why/why-all.ts";
import { CommandError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { allNamespacesFlag, selectorFlag } from "../../command/shared-flags.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { printDiagnoses, printSurvey } from "./print-diagnoses.ts";
import { transportReader } from "./transport-reader.ts";
import { WatchedAnswers } from "./watched-answers.ts";

const formats = ["json", "yaml"];

const flags = {
  ...allNamespacesFlag("Look at all namespaces, and at what is in none"),
  ...selectorFlag,
  output: {
    type: "string",
    shorthand: "o",
    help: `Output format. One of: (${formats.join(", ")}).`,
  },
  wait: {
    type: "bool",
    help: "Print the answer again whenever it changes, until the object is healthy",
  },
  timeout: { type: "duration", help: "With --wait: how long to wait; zero means without limit" },
  logs: {
    type: "bool",
    default: true,
    help: "Show the last lines of the logs of containers that crash",
  },
} satisfies FlagSet;

type WhyInvocation = Invocation<typeof flags>;

/** `kubectl why`: not a command of upstream's. */
export const why = command({
  usage: "why [TYPE/NAME | TYPE NAME | TYPE]",
  flags,
  completes: { of: "resources" },
  interruptedCode: 2,
  failureCode: 2,
  run,
});

async function run(invocation: WhyInvocation, context: Context): Promise<number> {
  const { flags, args } = invocation;
  if (flags.output !== "" && !formats.includes(flags.output)) {
    throw new CommandError(`--output must be one of: ${formats.join(", ")}`);
  }
  const options: WhyOptions = {
    reader: transportReader(await context.cluster.transport(), context.clock),
    now: () => context.clock.now(),
    logs: flags.logs,
    signal: context.signal,
  };
  if (args.length === 0) return surveyAll(flags, options, context);
  const targets = await targetsOf(invocation, context);
  if (flags.wait) return waitFor(targets, flags, options, context);
  const diagnoses: Diagnosis[] = [];
  for (const target of targets) diagnoses.push(await explain(target, options));
  if (diagnoses.length === 0) return reportNone(flags, context);
  printDiagnoses(diagnoses, flags.output, context);
  return worstCode(diagnoses);
}

/** Nothing of the type is there: no fault, as in `kubectl get`. */
async function reportNone(flags: Flags, context: Context): Promise<number> {
  const { namespace } = await context.cluster.namespace();
  const place = flags["all-namespaces"] ? "" : ` in ${namespace} namespace`;
  context.err.write(`No resources found${place}.\n`);
  return 0;
}

/** The exit code of several diagnoses: stuck is worse than unknown. */
function worstCode(diagnoses: readonly Diagnosis[]): number {
  const codes = diagnoses.map(exitCodeOf);
  return codes.includes(1) ? 1 : Math.max(...codes);
}

type Flags = WhyInvocation["flags"];

async function surveyAll(flags: Flags, options: WhyOptions, context: Context): Promise<number> {
  if (flags.wait) throw new CommandError("--wait needs an object");
  const { namespace } = await context.cluster.namespace();
  const place = flags["all-namespaces"] ? undefined : namespace;
  let failure: unknown;
  // A list of many objects connects to none of them.
  const reader: Reader = {
    read: (path, as, signal) =>
      options.reader.read(path, as, signal).catch((error: unknown) => {
        failure ??= error;
        throw error;
      }),
  };
  const survey: Survey = await whyAll(place, { ...options, reader });
  const isUnread = survey.unread.every(({ reason }) => reason === "failed");
  if (failure !== undefined && survey.looked === 0 && isUnread) throw failure;
  printSurvey(survey, { place, format: flags.output }, context);
  if (survey.diagnoses.length > 0) return 1;
  return survey.unread.length > 0 ? 2 : 0;
}

/** The objects of a command line. Those that are named need not exist yet. */
async function targetsOf({ args, flags }: WhyInvocation, context: Context): Promise<Target[]> {
  const { namespace } = await context.cluster.namespace();
  const targets: Target[] = [];
  const isType = args.length === 1 && !args[0]?.includes("/");
  const builder = new ResourceBuilder(context, {
    args,
    namespace,
    selector: flags.selector,
    allNamespaces: flags["all-namespaces"],
    allowEmptySelector: isType,
    requireObject: false,
    flatten: true,
  });
  await builder.visit((info) => {
    const place = info.namespaced ? { namespace: info.namespace } : {};
    targets.push({ resource: info.mapping as Resource, name: info.name, ...place });
  });
  return targets;
}

/** Prints the diagnoses, and again when their first lines change, until all are healthy. */
async function waitFor(
  targets: readonly Target[],
  flags: Flags,
  given: WhyOptions,
  context: Context,
): Promise<number> {
  const limit = flags.timeout > 0 ? [AbortSignal.timeout(flags.timeout)] : [];
  const signal = AbortSignal.any([context.signal, ...limit]);
  const options = { ...given, signal };
  using watched = new WatchedAnswers({
    transport: await context.cluster.transport(),
    clock: context.clock,
    signal,
  });
  let code = 2;
  let printed = "";
  try {
    do {
      const found: Diagnosis[] = [];
      for (const target of targets) found.push(await whyWith(target, watched.answers, options));
      code = worstCode(found);
      const key = found.map(firstCause).join("\n");
      if (key !== printed) {
        if (printed !== "" && flags.output === "") context.out.write("\n");
        printDiagnoses(found, flags.output, context);
      }
      printed = key;
      if (code !== 0) await watched.change();
    } while (code !== 0);
  } catch (error) {
    // The time is over: the last answer counts.
    if (!signal.aborted) throw error;
  }
  return code;
}

const firstCause = ({ state, layer, findings }: Diagnosis): string =>
  [state, layer, findings[0]?.cause].join(" ");
