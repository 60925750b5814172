/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/taint. */
import type { Taint } from "#/api/core/v1.ts";
import { createStrategicMergePatch } from "#/machinery/patch/create-strategic-merge-patch.ts";
import { formatTaint, parseTaints, sameTaint, type TaintRequest } from "#/machinery/pods/taints.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  CommandError,
  Errors,
  messageOf,
  NoResourceMatch,
  PlainError,
  usageError,
} from "../base/errors.ts";
import { typedForm } from "../base/typed-form.ts";
import { fieldAt, kindOf, setFieldAt, type Unstructured } from "../base/unstructured.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import {
  dryRunFlag,
  dryRunOf,
  fieldManagerFlag,
  selectorFlag,
  validateFlag,
} from "../command/shared-flags.ts";
import { groupResource } from "../discovery/rest-mapper.ts";
import { printFlags } from "../printers/print-flags.ts";
import { toPrinter } from "../printers/to-printer.ts";
import { ResourceBuilder } from "../resource/builder.ts";

const flags = {
  ...printFlags,
  ...dryRunFlag,
  ...validateFlag,
  ...selectorFlag,
  ...fieldManagerFlag("kubectl-taint"),
  overwrite: {
    type: "bool",
    help: "Replace the values of taints that exist; without it, such a change is rejected",
  },
  all: { type: "bool", help: "All nodes of the cluster" },
} satisfies FlagSet;

type TaintInvocation = Invocation<typeof flags>;

/** `kubectl taint`. */
export const taint = command({
  usage: "taint NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N",
  flags,
  completes: { of: "resources", types: ["node"] },
  run,
});

async function run({ flags, args }: TaintInvocation, context: Context): Promise<void> {
  const { namespace } = await context.cluster.namespace();
  const dryRun = dryRunOf(flags["dry-run"], context);
  const { resources, specs } = splitArguments(args);
  const request = readTaints(specs, context);
  await validate(flags, resources, request, context);
  const isByName = !flags.all && flags.selector === "";
  const builder = new ResourceBuilder(context, {
    namespace,
    continueOnError: true,
    flatten: true,
    latest: true,
    ...(isByName
      ? { resourceNames: { type: "node", names: resources.slice(1) } }
      : { types: ["node"], selector: flags.selector, all: flags.all }),
  });
  await builder.visit(async (info) => {
    const before = typedForm(info.object ?? {});
    const after = structuredClone(before);
    const { operation, taints } = changedTaints(before, request, flags.overwrite);
    setFieldAt(after, ["spec", "taints"], taints);
    const printer = toPrinter(flags, context, { operation });
    if (dryRun === "client") {
      printer.print(after, context.out);
      return;
    }
    const { group, version, kind } = kindOf(before);
    const schema = findSchema(group, version, kind);
    const patch = schema
      ? createStrategicMergePatch(schema, { original: before, modified: typedForm(after) })
      : {};
    const client = await context.cluster.client();
    const answer = await client.patch(info.mapping, info.ref(), patch, {
      type: "strategic",
      dryRun: dryRun === "server",
      fieldManager: flags["field-manager"],
    });
    printer.print(answer, context.out);
  });
}

function splitArguments(args: readonly string[]): { resources: string[]; specs: string[] } {
  const isTaint = (word: string): boolean => /[=:]|-$/.test(word);
  const first = args.findIndex(isTaint);
  const specs = first < 0 ? [] : args.slice(first);
  const stray = specs.find((word) => !isTaint(word));
  if (stray !== undefined) {
    throw new CommandError(`all resources must be specified before taint changes: ${stray}`);
  }
  const resources = first < 0 ? [...args] : args.slice(0, first);
  if (resources.length === 0) {
    throw new CommandError("one or more resources must be specified as <resource> <name>");
  }
  if (specs.length === 0) throw new CommandError("at least one taint update is required");
  return { resources, specs };
}

function readTaints(specs: readonly string[], context: Context): TaintRequest {
  try {
    return parseTaints(specs);
  } catch (error) {
    throw usageError(context, messageOf(error));
  }
}

async function validate(
  flags: TaintInvocation["flags"],
  resources: readonly string[],
  { add, remove }: TaintRequest,
  context: Context,
): Promise<void> {
  const type = (resources[0] ?? "").toLowerCase();
  const kind = await kindNamed(type, context);
  if (kind !== "Node") {
    throw new CommandError(`invalid resource type ${type}, only node types are supported`);
  }
  const conflicts = add.flatMap((added) =>
    remove.filter(
      ({ key, effect }) => key === added.key && (effect === undefined || effect === added.effect),
    ),
  );
  if (conflicts.length > 0) {
    const list = conflicts.map(({ key, effect = "" }) => `${key}=${effect}`).join(", ");
    throw new CommandError(
      `can not both modify and remove the following taint(s) in the same command: ${list}`,
    );
  }
  if (flags.all && flags.selector !== "") {
    throw new CommandError("setting 'all' parameter with a non empty selector is prohibited");
  }
  if (!flags.all && flags.selector === "" && resources.length < 2) {
    throw new CommandError(
      "at least one resource name must be specified since 'all' parameter is not set",
    );
  }
}

async function kindNamed(type: string, context: Context): Promise<string> {
  const mapping = await (await context.cluster.mapper()).findResource(type);
  if (mapping) return mapping.kind;
  const { resource, group } = groupResource(type);
  throw new PlainError(new NoResourceMatch(resource, group).message);
}

/** The new taints of a node, and the name of the operation. */
function changedTaints(
  node: Unstructured,
  { add, remove }: TaintRequest,
  overwrite: boolean,
): { operation: string; taints: readonly Taint[] } {
  const old = (fieldAt(node, "spec", "taints") ?? []) as readonly Taint[];
  const taken = add.filter((taint) => old.some((other) => sameTaint(other, taint)));
  if (!overwrite && taken.length > 0) {
    const keys = taken.map(({ key }) => key).join(",");
    throw new CommandError(
      `node ${node.metadata?.name} already has ${keys} taint(s) with same effect(s) and --overwrite is false`,
    );
  }
  let taints = [...add, ...old.filter((taint) => !add.some((other) => sameTaint(other, taint)))];
  const hasAdded = taints.length !== old.length;
  let hasRemoved = false;
  const errors: CommandError[] = [];
  for (const { key, effect } of remove) {
    const kept = taints.filter(
      (taint) => taint.key !== key || (effect !== undefined && taint.effect !== effect),
    );
    hasRemoved = kept.length !== taints.length;
    taints = kept;
    if (hasRemoved) continue;
    errors.push(
      new CommandError(
        `taint ${goQuote(formatTaint({ key, effect: effect ?? "" } as Taint))} not found`,
      ),
    );
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new Errors(errors);
  const operation =
    (hasAdded && hasRemoved) || overwrite ? "modified" : hasAdded ? "tainted" : "untainted";
  return { operation, taints };
}
