/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/wait. */
import { JsonPathError } from "#/machinery/jsonpath/jsonpath-node.ts";
import { parseTemplate } from "#/machinery/jsonpath/parse-jsonpath.ts";
import { isNotFound, notFound } from "#/machinery/meta/status-error.ts";
import { goValue } from "#/machinery/patch/values/go-value.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { named, untilDeleted } from "../actions/until-deleted.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import { fieldAt, type Unstructured } from "../base/unstructured.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import {
  allNamespacesFlag,
  fieldSelectorFlag,
  filenameFlags,
  selectorFlag,
} from "../command/shared-flags.ts";
import { relaxedJsonPath } from "../printers/custom-columns-printer.ts";
import { jsonPathResults } from "../printers/jsonpath-printer.ts";
import { printFlags } from "../printers/print-flags.ts";
import { toPrinter } from "../printers/to-printer.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import { fileOptions } from "../resource/resource-arguments.ts";
import type { ResourceInfo } from "../resource/resource-info.ts";
import { untilObserved } from "../resource/until.ts";

const { kustomize, ...fileFlags } = filenameFlags;

const flags = {
  ...printFlags,
  ...fileFlags,
  recursive: { ...filenameFlags.recursive, default: true },
  ...selectorFlag,
  ...fieldSelectorFlag,
  ...allNamespacesFlag(),
  all: { type: "bool", help: "All objects of the given types in the namespace" },
  local: {
    type: "bool",
    help: "Look at what the files contain only, without contacting the server",
  },
  timeout: {
    type: "duration",
    default: 30_000,
    help:
      "How long to wait before giving up. Zero means to check once, a negative value to " +
      "wait for a week",
  },
  for: {
    type: "stringArray",
    help:
      "What to wait for: " +
      "[create|delete|condition=condition-name[=condition-value]|jsonpath='{JSONPath " +
      "expression}'=[JSONPath value]]. Without a value, a condition must be true, and a " +
      "JSONPath must find something. Values of conditions are compared without regard to " +
      "case, by Unicode simple case folding. If it is repeated, all have to hold, one after " +
      "the other; create is always the first",
  },
} satisfies FlagSet;

/** Timeout (ms) that stands for "forever". */
const longestWaitMs = 168 * 60 * 60 * 1000;
const pollMs = 500;

/** `kubectl wait`. */
export const wait = command({
  usage:
    "wait ([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]",
  flags,
  interruptedCode: 1,
  run,
});

type WaitInvocation = Invocation<typeof flags>;

async function run({ flags, args }: WaitInvocation, context: Context): Promise<void> {
  const printer = toPrinter(flags, context, { operation: "condition met" });
  const conditions = flags.for.map((text) => parseCondition(text));
  if (conditions.length === 0) {
    throw new CommandError(`unrecognized condition: []`);
  }
  const timeoutMs = flags.timeout < 0 ? longestWaitMs : flags.timeout;
  const end = context.clock.monotonicMs() + timeoutMs;
  const builder = await finder({ flags, args }, context);
  if (conditions.some(({ type }) => type === "create"))
    await untilThere(context, builder, timeoutMs);
  const waitsForDelete = conditions.some(({ type }) => type === "delete");
  let count = 0;
  try {
    await builder().visit(async (info) => {
      count++;
      for (const condition of conditions) {
        const leftMs = timeoutMs === 0 ? 0 : Math.max(1, end - context.clock.monotonicMs());
        printer.print(await untilMet(context, info, condition, leftMs), context.out);
      }
    });
  } catch (error) {
    if (!waitsForDelete || !isNotFound(error)) throw error;
  }
  if (count === 0 && !waitsForDelete) throw new CommandError("no matching resources found");
}

async function finder(
  { flags, args }: Pick<WaitInvocation, "flags" | "args">,
  context: Context,
): Promise<() => ResourceBuilder> {
  const chosen = await context.cluster.namespace();
  const options = {
    ...fileOptions(flags, chosen),
    allNamespaces: flags["all-namespaces"],
    selector: flags.selector,
    fieldSelector: flags["field-selector"],
    all: flags.all,
    local: flags.local,
    latest: true,
    flatten: true,
    args,
  };
  return () => new ResourceBuilder(context, options);
}

async function untilThere(
  context: Context,
  builder: () => ResourceBuilder,
  timeoutMs: number,
): Promise<void> {
  const end = context.clock.monotonicMs() + timeoutMs;
  for (;;) {
    try {
      if ((await builder().infos()).length > 0) return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    if (context.clock.monotonicMs() + pollMs > end) {
      throw new CommandError("timed out waiting for the condition");
    }
    await context.clock.sleep(pollMs, context.signal);
  }
}

type Condition =
  | { readonly type: "delete" | "create" }
  /** True if an object meets the condition. */
  | { readonly type: "check"; readonly isMet: (object: Unstructured) => boolean };

function parseCondition(text: string): Condition {
  const lower = text.toLowerCase();
  if (lower === "delete" || lower === "create") return { type: lower };
  if (text.startsWith("condition=")) return conditionCheck(text.slice("condition=".length));
  if (text.startsWith("jsonpath=")) return jsonPathCheck(text.slice("jsonpath=".length));
  throw new CommandError(`unrecognized condition: ${goQuote(text)}`);
}

function conditionCheck(text: string): Condition {
  const equals = text.indexOf("=");
  const name = (equals < 0 ? text : text.slice(0, equals)).toLowerCase();
  const wanted = (equals < 0 ? "true" : text.slice(equals + 1)).toLowerCase();
  return { type: "check", isMet: (object) => isConditionMet(object, name, wanted) };
}

function isConditionMet(object: Unstructured, name: string, wanted: string): boolean {
  const conditions = fieldAt(object, "status", "conditions");
  if (!Array.isArray(conditions)) return false;
  const condition = (conditions as Record<string, unknown>[]).find(
    ({ type, status }) =>
      typeof type === "string" && type.toLowerCase() === name && typeof status === "string",
  );
  if (condition === undefined) return false;
  const generation = object.metadata?.generation;
  const observed =
    condition["observedGeneration"] ?? fieldAt(object, "status", "observedGeneration");
  if (typeof generation === "number" && typeof observed === "number" && observed < generation)
    return false;
  return String(condition["status"]).toLowerCase() === wanted;
}

function jsonPathCheck(text: string): Condition {
  const parts = splitAtEquals(text);
  if (parts.length > 2) {
    throw new CommandError(
      "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'",
    );
  }
  const [path = "", given] = parts;
  const relaxed = relaxedJsonPath(path);
  const wanted = given?.replace(/^['"]+|['"]+$/g, "");
  if (wanted === "") {
    throw new CommandError(
      "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
    );
  }
  if (relaxed === "") throw new CommandError("jsonpath expression cannot be empty");
  const template = parsed(relaxed);
  return {
    type: "check",
    isMet(object) {
      const results = jsonPathResults(template, object, { allowMissingKeys: true });
      const [found = []] = results;
      if (found.length === 0) return false;
      if (results.length > 1)
        throw new CommandError("given jsonpath expression matches more than one list");
      if (found.length > 1)
        throw new CommandError("given jsonpath expression matches more than one value");
      if (wanted === undefined) return true;
      if (typeof found[0] === "object" && found[0] !== null) {
        throw new CommandError("jsonpath leads to a nested object or list which is not supported");
      }
      return goValue(found[0]).trim() === wanted.trim();
    },
  };
}

function parsed(path: string): ReturnType<typeof parseTemplate> {
  try {
    return parseTemplate(path);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new CommandError(messageOf(error), { cause: error });
  }
}

/** Splits at single equals signs; `==` is part of a filter. */
function splitAtEquals(text: string): string[] {
  return text
    .replaceAll("==", "\0")
    .split("=")
    .map((part) => part.replaceAll("\0", "=="));
}

async function untilMet(
  context: Context,
  info: ResourceInfo,
  condition: Condition,
  timeoutMs: number,
): Promise<Unstructured> {
  if (info.name === "") throw new CommandError("resource name must be provided");
  switch (condition.type) {
    case "create":
      return info.object ?? {};
    case "delete":
      return untilDeleted(context, info, { timeoutMs });
    case "check":
      return timeoutMs === 0
        ? lookOnce(info, condition.isMet)
        : untilChecked(context, info, condition.isMet, timeoutMs);
  }
}

async function lookOnce(
  info: ResourceInfo,
  isMet: (object: Unstructured) => boolean,
): Promise<Unstructured> {
  const object = await info.get();
  if (isMet(object)) return object;
  throw new CommandError(`condition not met for ${info.objectName()}`);
}

async function untilChecked(
  context: Context,
  info: ResourceInfo,
  isMet: (object: Unstructured) => boolean,
  timeoutMs: number,
): Promise<Unstructured> {
  let isFirst = true;
  const observe = (object: Unstructured | undefined): Unstructured | undefined => {
    if (object === undefined && isFirst) throw notFound(info.mapping, info.name);
    isFirst = false;
    return object !== undefined && isMet(object) ? object : undefined;
  };
  return named(info, () => untilObserved(context, info, observe, timeoutMs));
}
